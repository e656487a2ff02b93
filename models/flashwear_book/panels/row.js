// One row of a hundred bytes and what each layer writes for it, to scale: a cell for each hundred.
(function () {
  "use strict";
  const CELL = 8; // px, as the pattern of the style sheet has it

  for (const panel of document.querySelectorAll(".fw-row")) {
    const { record, rate, rated_bytes: rated, amplification, rows, chosen } = JSON.parse(panel.querySelector("script").textContent);
    const form = panel.querySelector("form");
    const layers = [...panel.querySelectorAll("section")];
    const end = panel.querySelector(".fw-row-end");
    const KEYS = ["database", "file_system", "group"];
    const digits = (value, count) => Number(value.toPrecision(count)).toLocaleString("en");
    const amount = (bytes) => (bytes < 1000 ? `${Math.round(bytes)}\u00a0B` : bytes < 1e6 ? `${digits(bytes / 1000, 3)}\u00a0kB` : `${digits(bytes / 1e6, 3)}\u00a0MB`);

    KEYS.forEach((key, at) => {
      for (const value of new Set(rows.map((row) => row[at]))) {
        form.elements[key].add(new Option(value, value, value === chosen[at], value === chosen[at]));
      }
    });

    // whole lines of cells, and a line that is begun
    function draw(layer, bytes) {
      const cells = Math.max(1, Math.round(bytes / record));
      const across = Math.max(1, Math.floor(panel.clientWidth / CELL));
      const [whole, rest] = [Math.floor(cells / across), cells % across];
      const drawn = layer.querySelector("i");
      drawn.dataset.cells = cells;
      drawn.style.width = `${(whole ? across : rest) * CELL}px`;
      drawn.style.height = `${(whole + (rest > 0)) * CELL}px`;
      const [edge, under] = [rest * CELL, whole * CELL];
      const shape = `polygon(0 0, 100% 0, 100% ${under}px, ${edge}px ${under}px, ${edge}px 100%, 0 100%)`;
      drawn.style.clipPath = whole && rest ? shape : "none";
    }

    function show() {
      const asked = KEYS.map((key) => form.elements[key].value);
      const [, , , database, system] = rows.find((row) => asked.every((value, at) => String(row[at]) === value));
      const parts = [
        [asked[0], database],
        [asked[1], system],
        ["The flash of a full drive, whose own copies come on top", system * amplification],
      ];
      parts.forEach(([name, bytes], at) => {
        layers[at].querySelector("p").textContent = `${name}: ${amount(bytes)}, ${Math.round(bytes / record).toLocaleString("en")} times the row`;
        draw(layers[at], bytes);
      });
      const days = rated / (system * rate * 86_400);
      const time = days < 730 ? `${Math.round(days)} days` : `${digits(days / 365, 2)} years`;
      end.textContent = `At ${rate} rows a second a drive rated for ${rated / 1e12} TB has taken its rating after ${time}: a rating counts the ${amount(system)} that reach the drive, not its own copies.`;
    }

    form.addEventListener("input", show);
    new ResizeObserver(show).observe(panel);
    panel.hidden = false;
    show();
  }
})();
