// Brings the charts of a page to life: figure.fw-chart holds a static SVG and a Vega-Lite
// specification (see flashwear.charts). Where this script fails, the static SVG stays.
(function () {
  "use strict";

  const NARROW = 480; // px of figure width below which legends and axes take less of it
  const SETTLE = 500; // ms without input after which changed numbers are read out
  const root = document.documentElement;
  const page = location.pathname.split("/").pop().replace(/\.html$/, "") || "index";
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    const theme = root.dataset.theme || "light";
    return theme === "dark" || (theme === "auto" && prefersDark.matches);
  }

  function element(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
  }

  function toCsv(rows) {
    const columns = [...new Set(rows.flatMap(Object.keys))];
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
    return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
  }

  class Chart {
    constructor(figure, number) {
      this.figure = figure;
      this.text = figure.querySelector('script[type="application/json"]').textContent;
      this.dark = JSON.parse(figure.dataset.dark);
      this.name = figure.closest("[id^=fig]")?.id || `${page}-chart-${number}`;
      this.host = element("div", { className: "fw-live" });
      this.links = element("p", { className: "fw-data" });
      this.status = element("p", { className: "fw-status" });
      this.status.setAttribute("role", "status");
      this.drawing = Promise.resolve();
      this.result = null;
      figure.append(this.host, this.links, this.status);
    }

    // the specification in the colours of the page, with the sliders where the reader left them
    spec() {
      const swap = (key, value) => (isDark() && this.dark[value]) || value;
      const spec = JSON.parse(this.text, swap);
      for (const param of spec.params || []) {
        if (param.bind?.input && this.result) param.value = this.result.view.signal(param.name);
      }
      if (this.narrow) {
        const { config } = spec;
        config.legend = { ...config.legend, columns: 1 };
        config.axisX = { ...config.axisX, tickCount: 4, titleAnchor: "end" };
      }
      return spec;
    }

    draw() {
      this.drawing = this.drawing.then(() => this.redraw()).catch((error) => {
        console.error(`${this.name}: the chart stays static:`, error);
        delete this.figure.dataset.live;
      });
    }

    async redraw() {
      this.narrow = this.figure.clientWidth < NARROW;
      const spec = this.spec();
      this.result?.finalize();
      this.figure.dataset.live = ""; // hides the static image, so that the page keeps its height
      this.result = await window.vegaEmbed(this.host, spec, {
        renderer: "svg",
        actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
        downloadFileName: this.name,
        tooltip: { theme: isDark() ? "dark" : "light" },
      });
      this.label(spec.params || []);
      this.offerData(spec);
    }

    label(params) {
      const bound = params.filter((param) => param.bind?.input);
      const inputs = this.host.querySelectorAll(".vega-bindings .vega-bind");
      inputs.forEach((bind, index) => {
        const input = bind.querySelector("input, select");
        input?.setAttribute("aria-label", bound[index]?.bind.name || bound[index]?.name || "value");
      });
      const texts = () =>
        [...this.host.querySelectorAll(".mark-text.role-mark text")].map((text) => text.textContent);
      let before = texts();
      let timer = 0;
      this.host.querySelector(".vega-bindings")?.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          const now = texts();
          this.status.textContent = now.filter((text) => !before.includes(text)).join("; ");
          before = now;
        }, SETTLE);
      });
    }

    offerData(spec) {
      const { view, vgSpec } = this.result;
      const tables = spec.datasets
        ? Object.values(spec.datasets)
        : vgSpec.data.slice(-1).map((data) => view.data(data.name));
      this.links.replaceChildren(
        ...tables.map((rows, index) => {
          const suffix = tables.length > 1 ? `-${index + 1}` : "";
          const link = element("a", {
            href: "#",
            download: `${this.name}${suffix}.csv`,
            textContent: tables.length > 1 ? `Data ${index + 1} (CSV)` : "Data (CSV)",
          });
          link.addEventListener("click", (event) => {
            if (link.href.startsWith("blob:")) return;
            event.preventDefault();
            link.href = URL.createObjectURL(new Blob([toCsv(rows)], { type: "text/csv" }));
            link.click();
          });
          return link;
        }),
      );
    }

    resized() {
      if (!this.figure.clientWidth || this.figure.clientWidth === this.width) return;
      const first = this.width === undefined;
      this.width = this.figure.clientWidth;
      if (first || this.narrow !== this.width < NARROW) this.draw();
      else window.dispatchEvent(new Event("resize")); // Vega looks at its container then
    }
  }

  const figures = [...document.querySelectorAll("figure.fw-chart")];
  const charts = new Map(figures.map((figure, index) => [figure, new Chart(figure, index + 1)]));
  // draws a chart once it has a width: one inside a closed fold waits until it is opened
  const observer = new ResizeObserver((entries) => {
    for (const entry of entries) charts.get(entry.target).resized();
  });
  figures.forEach((figure) => observer.observe(figure));

  let dark = isDark();
  const recolour = () => {
    if (dark === isDark()) return;
    dark = isDark();
    for (const chart of charts.values()) if (chart.result) chart.draw();
  };
  new MutationObserver(recolour).observe(root, { attributeFilter: ["data-theme"] });
  prefersDark.addEventListener("change", recolour);
})();
