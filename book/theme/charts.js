// Brings the charts of a page to life: figure.fw-chart holds a static SVG and a Vega-Lite
// specification (see flashwear_book.charts). Where this script fails, the static SVG stays.
(function () {
  "use strict";

  const NARROW = 480; // px of figure width below which legends and axes take less of it
  const POWER_STEPS = 200; // of a slider in steps of equal ratio
  const SETTLE = 500; // ms without input after which changed numbers are read out
  const NOUNS = { symbol: "point", rect: "bar", rule: "rule", text: "label" }; // of Vega's marks
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

  // what the address says of a control ("#tbw=600&gb=50"), where that is a value it can take
  function fromAddress({ name, bind }) {
    const text = new URLSearchParams(location.hash.slice(1)).get(name);
    if (text === null) return undefined;
    if (bind.input !== "range") return bind.options?.find((option) => String(option) === text);
    const value = text.trim() ? Number(text) : NaN;
    return value >= bind.min && value <= bind.max ? value : undefined;
  }

  // the rows behind the marks that are drawn, and the kind of mark, by the name of the mark
  function rowsDrawn(mark, found = new Map()) {
    if (!["frame", "scope", "mark"].includes(mark.role)) return found; // axes, legends, heads
    if (mark.marktype === "group") {
      for (const child of mark.items.flatMap(({ items }) => items)) rowsDrawn(child, found);
    } else {
      const { name, marktype: kind, items } = mark;
      const set = found.get(name) || { name, kind, rows: [] };
      set.rows.push(...items.map(({ datum }) => datum));
      found.set(name, set);
    }
    return found;
  }

  // without what Vega-Lite adds: fields with an underscore in front, sort keys, ends of stacked bars
  function columnsOf(rows) {
    const names = new Set(rows.flatMap(Object.keys));
    const added = (name) =>
      /^_|_sort_index$/.test(name) || names.has(/^(.+)_(?:start|end)$/.exec(name)?.[1]);
    return [...names].filter((name) => !added(name));
  }

  // whether one set has every row of another, in the other's columns
  function holds(rows, others) {
    const columns = columnsOf(others);
    const key = (row) => JSON.stringify(columns.map((name) => row[name]));
    const keys = new Set(rows.map(key));
    return others.every((row) => keys.has(key(row)));
  }

  // the data as drawn: no set twice, and no reference line unless there is nothing else
  function dataSets(view) {
    const all = [...rowsDrawn(view.scenegraph().root).values()];
    const isText = ({ kind }) => kind === "text";
    const sets = [...all.filter((set) => !isText(set)), ...all.filter(isText)];
    const own = sets.filter(({ rows }, index) =>
      sets.every((other, at) => {
        const spare = index !== at && holds(other.rows, rows);
        return !spare || (index < at && holds(rows, other.rows));
      }),
    );
    const varied = own.filter(({ kind, rows }) => kind !== "rule" || rows.length > 1);
    return varied.length ? varied : own;
  }

  function toCsv(rows, columns) {
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
    return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
  }

  // a number as people write it: a comma parts thousands if three digits follow it, else decimals
  function toNumber(text) {
    const plain = text.trim();
    if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) return Number(plain.replaceAll(",", ""));
    return plain ? Number(plain.replace(",", ".")) : NaN;
  }

  // a box beside a slider, in place of the text that Vega puts there
  function addBox(slider, label) {
    const [low, high] = [Number(slider.min), Number(slider.max)];
    const box = element("input", { type: "text", inputMode: "decimal", className: "fw-box", autocomplete: "off" });
    const settle = () => {
      box.value = slider.value;
      box.ariaInvalid = "false";
    };
    settle();
    box.ariaLabel = label;
    slider.addEventListener("input", () => {
      if (document.activeElement !== box) settle();
    });
    box.addEventListener("input", () => {
      const value = toNumber(box.value);
      const fits = value >= low && value <= high;
      box.ariaInvalid = String(!fits);
      if (fits) setInput(slider, value);
    });
    box.addEventListener("change", () => {
      const value = toNumber(box.value);
      if (!Number.isNaN(value)) setInput(slider, Math.min(high, Math.max(low, value)));
      settle();
    });
    slider.nextElementSibling.replaceWith(box);
  }

  // a slider in steps of equal ratio, in place of one that it moves
  function inPowers(slider, label) {
    const low = Number(slider.min);
    const range = Math.log(slider.max / low);
    const own = element("input", { type: "range", min: 0, max: POWER_STEPS, step: 1, ariaLabel: label });
    let moving = false;
    const follow = () => {
      if (!moving) own.value = (POWER_STEPS * Math.log(slider.value / low)) / range;
      own.ariaValueText = slider.value;
    };
    own.addEventListener("input", () => {
      moving = true;
      const value = low * Math.exp((range * own.value) / POWER_STEPS);
      setInput(slider, Number(value.toPrecision(2)));
      moving = false;
    });
    slider.addEventListener("input", follow);
    follow();
    slider.replaceWith(own);
  }

  function setInput(input, value) {
    input.value = value;
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
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
      for (const param of this.bound(spec)) param.value = this.value(param);
      if (this.narrow) {
        const { config } = spec;
        config.legend = { ...config.legend, columns: 1 };
        config.axisX = { ...config.axisX, tickCount: 4, titleAnchor: "end" };
        if (spec.columns) spec.columns = 1; // panels below one another
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
        ast: true, // expressions are interpreted: the policy of the page lets no text be compiled
        actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
        downloadFileName: this.name,
        tooltip: { theme: isDark() ? "dark" : "light" },
      });
      this.controls(spec);
      this.host.querySelector("details > summary")?.setAttribute("aria-label", "Save the chart as an image");
      this.offerData();
    }

    bound(spec) {
      return (spec.params || []).filter((param) => param.bind?.input);
    }

    value(param) {
      return this.result ? this.result.view.signal(param.name) : fromAddress(param) ?? param.value;
    }

    // the controls that a reader has moved, and where to
    moved() {
      const bound = this.bound(JSON.parse(this.text));
      return bound.filter((param) => this.value(param) !== param.value);
    }

    controls(spec) {
      const bindings = this.host.querySelector(".vega-bindings");
      const bound = this.bound(spec);
      if (!bound.length) return;
      this.inputs = new Map();
      bindings.querySelectorAll(".vega-bind").forEach((bind, index) => {
        const input = bind.querySelector("input, select");
        if (!input) return;
        const { name, bind: { name: label = name } } = bound[index];
        input.ariaLabel = label;
        this.inputs.set(name, input);
        if (input.type !== "range") return;
        addBox(input, label);
        if (spec.usermeta?.powers?.includes(name)) inPowers(input, label);
      });
      this.choose = spec.usermeta?.presets && this.addPresets(bindings, spec.usermeta.presets);
      const texts = () =>
        [...this.host.querySelectorAll(".mark-text.role-mark text")].map((text) => text.textContent);
      let before = texts();
      let timer = 0;
      bindings.addEventListener("input", () => {
        this.choose?.();
        clearTimeout(timer);
        timer = setTimeout(() => {
          const now = texts();
          this.status.textContent = now.filter((text) => !before.includes(text)).join("; ");
          before = now;
          writeAddress();
        }, SETTLE);
      });
    }

    // a menu of settings, and what keeps it at the one that the sliders are in
    addPresets(bindings, { label, settings }) {
      const menu = element("select", {});
      const options = ["", ...Object.keys(settings)];
      menu.append(...options.map((name) => element("option", { value: name, textContent: name || "your own" })));
      const row = element("div", { className: "vega-bind" });
      row.append(element("label", {}));
      row.firstChild.append(element("span", { textContent: label }), menu);
      bindings.prepend(row);
      const isSet = ([name, value]) => Number(this.inputs.get(name).value) === value;
      const choose = () => {
        const now = Object.keys(settings).find((name) => Object.entries(settings[name]).every(isSet));
        menu.value = now || "";
      };
      menu.addEventListener("input", () => this.set(settings[menu.value] || {}));
      choose();
      return choose;
    }

    set(values) {
      for (const [name, value] of Object.entries(values)) setInput(this.inputs.get(name), value);
    }

    followAddress() {
      if (!this.result) return; // what is not drawn yet reads the address then
      const bound = this.bound(JSON.parse(this.text));
      this.set(Object.fromEntries(bound.map((param) => [param.name, fromAddress(param) ?? param.value])));
      this.choose?.();
    }

    names() {
      return this.bound(JSON.parse(this.text)).map((param) => param.name);
    }

    offerData() {
      const { view } = this.result;
      const sets = dataSets(view);
      const nouns = sets.map(({ kind, rows }) =>
        NOUNS[kind] && rows.length > 1 ? `${NOUNS[kind]}s` : NOUNS[kind] || kind,
      );
      const alone = (names, index) => names.indexOf(names[index]) === names.lastIndexOf(names[index]);
      const full = sets.map(({ rows }, index) =>
        alone(nouns, index) ? nouns[index] : `${nouns[index]} of ${columnsOf(rows).join(", ")}`,
      );
      const label = (index) => (alone(full, index) ? full[index] : `${full[index]} (${index + 1})`);
      this.links.replaceChildren(
        ...sets.map((set, index) => {
          const about = sets.length > 1 ? label(index) : "";
          const link = element("a", {
            href: "#",
            download: `${[this.name, ...(about.match(/\w+/g) || [])].join("-")}.csv`,
            textContent: about ? `Data: ${about} (CSV)` : "Data (CSV)",
          });
          link.addEventListener("click", () => {
            const now = rowsDrawn(view.scenegraph().root).get(set.name)?.rows || [];
            const csv = toCsv(now, columnsOf(now.length ? now : set.rows));
            URL.revokeObjectURL(link.href);
            link.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
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

  function writeAddress() {
    const state = new URLSearchParams();
    for (const chart of charts.values()) {
      for (const param of chart.moved()) state.set(param.name, chart.value(param));
    }
    if (state.size) history.replaceState(null, "", `#${state}`);
    else if (location.hash.includes("=")) history.replaceState(null, "", location.pathname + location.search);
  }

  addEventListener("hashchange", () => {
    const told = [...new URLSearchParams(location.hash.slice(1)).keys()];
    const known = [...charts.values()].flatMap((chart) => chart.names());
    if (location.hash && !told.some((name) => known.includes(name))) return; // a place on the page
    for (const chart of charts.values()) chart.followAddress();
  });

  let dark = isDark();
  const recolour = () => {
    if (dark === isDark()) return;
    dark = isDark();
    for (const chart of charts.values()) if (chart.result) chart.draw();
  };
  new MutationObserver(recolour).observe(root, { attributeFilter: ["data-theme"] });
  prefersDark.addEventListener("change", recolour);
})();
