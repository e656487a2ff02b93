// The form of the page Which drive?: five questions become words of the command `flashwear choose`,
// which runs in the page once it is asked for, and from then on with each change.
(function () {
  "use strict";

  const ENGINE = new URL("my-drive-engine.js", document.currentScript.src).href;
  const [WIDTH, HEIGHT, LEFT, RIGHT, FOOT] = [640, 260, 64, 190, 36];
  const WAIT_MS = 300; // after the last key
  let engine;
  let starting;
  let report; // of the old drive

  function start() {
    if (starting) return starting;
    const script = document.createElement("script");
    starting = new Promise((resolve, reject) => {
      script.src = ENGINE;
      script.onload = () => resolve(window.flashwearEngine ? window.flashwearEngine() : null);
      script.onerror = () => reject(new Error("Its code could not be loaded. Is there a network?"));
      document.head.append(script);
    }).finally(() => script.remove());
    return starting;
  }

  // the words of the command line that the form stands for
  function words(form) {
    const { load, amount, below, raid, years, space, plp, trim, off } = form.elements;
    const { unit } = load.selectedOptions[0].dataset;
    const told = [];
    const [count, ...parts] = amount.value.trim().replace(/,(?=\d)/, ".").split(",");
    if (unit === "GB") told.push("--bytes-per-day", ...count.split("-").map((end) => `${end}GB/day`));
    else if (unit !== "report") told.push("--load", [`${load.value}:${count}${unit === "/s" ? "/s" : ""}`, ...parts].join(","), "--below", below.value);
    if (raid.value.trim()) told.push("--raid", raid.value.trim());
    if (years.value.trim()) told.push("--years", years.value.trim());
    if (space.value.trim()) told.push("--space", `${space.value.trim()}GB`);
    if (plp.checked) told.push("--plp");
    if (!trim.checked) told.push("--no-trim");
    if (off.value.trim()) told.push("--months-off", off.value.trim());
    return told;
  }

  // as a shell takes them
  const quoted = (word) => (/^[\w./:+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

  // what each drive has cost after each year: a line in the middle of its band
  function chart(costs) {
    const years = costs[0].years.length;
    const most = Math.max(...costs.flatMap((one) => one.years.map((year) => year.high)));
    const x = (year) => LEFT + ((WIDTH - LEFT - RIGHT) * year) / years;
    const y = (cost) => 10 + (HEIGHT - FOOT - 10) * (1 - cost / most);
    const parts = [];
    const text = (at, up, words, anchor) => {
      const safe = words.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
      parts.push(`<text x="${at}" y="${up}" text-anchor="${anchor}">${safe}</text>`);
    };
    for (const share of [0, 0.5, 1]) {
      parts.push(`<line class="fw-grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share * most)}" y2="${y(share * most)}"/>`);
      text(LEFT - 8, y(share * most) + 4, Math.round(share * most).toLocaleString("en"), "end");
    }
    for (let year = 1; year <= years; year += Math.ceil(years / 6)) text(x(year - 0.5), HEIGHT - 14, `${year}`, "middle");
    text(x(years / 2), HEIGHT, "year", "middle");
    let last = Infinity;
    const drawn = costs.slice(0, 6).map((one, place) => ({ ...one, place }));
    for (const { years: paid, place } of [...drawn].reverse()) {
      const steps = (name) => paid.flatMap((year, at) => [[x(at), y(year[name])], [x(at + 1), y(year[name])]]);
      const path = (points) => points.map((point) => point.map((one) => one.toFixed(1)).join(",")).join(" ");
      parts.push(`<polygon class="fw-band${place ? "" : " fw-best"}" points="${path([...steps("low"), ...steps("high").reverse()])}"/>`);
      parts.push(`<polyline class="fw-cost${place ? "" : " fw-best"}" points="${path(steps("middle"))}"/>`);
    }
    drawn.sort((one, other) => other.years[years - 1].middle - one.years[years - 1].middle);
    for (const { model, years: paid } of [...drawn].reverse()) {
      last = Math.min(last - 15, y(paid[years - 1].middle) + 4); // labels do not cover one another
      text(WIDTH - RIGHT + 8, last, model.length > 26 ? `${model.slice(0, 25)}…` : model, "start");
    }
    const about = drawn.map((one) => `${one.model} ${Math.round(one.years[years - 1].middle)}`).join(", ");
    return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 4}" role="img" aria-label="Cost after ${years} years: ${about.replace(/["&<>]/g, "")}">${parts.join("")}</svg>`;
  }

  function enhance(form) {
    const [answer, verdict, said, drawing, line, csv, progress] = ["answer", "verdict", "said", "costs", "command", "csv", "progress"].map(
      (name) => document.getElementById(`fw-which-${name}`),
    );
    let timer;

    function show(level, title, lines) {
      answer.dataset.level = level;
      verdict.textContent = title;
      said.textContent = lines;
      said.hidden = !lines;
    }

    // fields into the address, from which a link fills them again; nothing is sent
    function keep() {
      const told = new URLSearchParams(new FormData(form));
      history.replaceState(history.state, "", `#${told}`);
    }

    const byReport = () => form.elements.load.value === "report";

    function ask(more) {
      const list = new TextEncoder().encode(form.elements.candidates.value);
      return engine(list, [...words(form), ...more], byReport() ? report : undefined, "choose");
    }

    function choose() {
      keep();
      const asked = byReport() ? ["--report", "report.txt"] : [];
      line.textContent = ["flashwear", "choose", ...asked, ...words(form), "--candidates", "drives.txt"].map(quoted).join(" ");
      if (!engine) return;
      const [status, out] = ask(["--json"]);
      const told = JSON.parse(out);
      drawing.replaceChildren();
      csv.hidden = status === 3;
      if (status === 3) {
        show(3, told.errors[0].error, "");
        return;
      }
      show(status, told.sentence, told.lines.slice(2).join("\n"));
      if (told.costs.length) drawing.innerHTML = chart(told.costs); // of numbers, and of names without markup
    }

    async function begin() {
      if (!form.reportValidity()) return;
      if (!engine) {
        show("busy", "Loading the code, 10 MB: some seconds, a minute on a slow computer.", "");
        progress.hidden = false;
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        try {
          engine = await start();
        } catch (error) {
          starting = undefined; // it may have been out of reach
          show(3, `${error.message || error}`, "");
          return;
        } finally {
          progress.hidden = true;
        }
        if (!engine) {
          show(3, "This is not built into this copy of the book. Use the command below instead.", "");
          return;
        }
      }
      choose();
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      begin();
    });
    form.addEventListener("input", () => {
      const { dataset } = form.elements.load.selectedOptions[0];
      document.getElementById("fw-which-unit").textContent = dataset.words;
      form.elements.amount.disabled = byReport();
      clearTimeout(timer);
      timer = setTimeout(choose, WAIT_MS);
    });
    const taken = (name, take) =>
      document.getElementById(`fw-which-${name}`).addEventListener("change", async (event) => {
        const [file] = event.target.files;
        if (!file) return;
        await take(file.slice(0, 2 ** 20));
        form.dispatchEvent(new Event("input"));
        begin();
      });
    taken("file", async (file) => {
      form.elements.candidates.value = (await file.text()).replaceAll("\0", "");
    });
    taken("report", async (file) => {
      report = new Uint8Array(await file.arrayBuffer());
      form.elements.load.value = "report";
    });
    csv.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([ask(["--csv"])[1]], { type: "text/csv" }));
      link.download = "which-drive.csv";
      link.click();
      URL.revokeObjectURL(link.href);
    });
    form.hidden = false;
    const told = new URLSearchParams(location.hash.slice(1));
    if (told.has("load")) {
      form.elements.plp.checked = form.elements.trim.checked = false;
      for (const [name, value] of told) {
        const field = form.elements.namedItem(name);
        if (field && field.type === "checkbox") field.checked = true;
        else if (field && "value" in field && field.type !== "file") field.value = value;
      }
      if (!form.elements.load.value) form.elements.load.selectedIndex = 0;
      if (!form.elements.below.value) form.elements.below.selectedIndex = 0;
      form.dispatchEvent(new Event("input"));
      begin();
    } else form.dispatchEvent(new Event("input"));
  }

  document.addEventListener("DOMContentLoaded", () => enhance(document.getElementById("fw-which")));
})();
