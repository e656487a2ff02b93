for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  if (table.className) {
    const more = document.createElement("button");
    more.textContent = `Show all ${table.tBodies[0].rows.length} rows`;
    more.addEventListener("click", () => {
      table.className = "";
      more.remove();
      table.parentNode.focus();
    });
    table.parentNode.after(more);
  }
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      const keyed = [...table.tBodies[0].rows].map((row) => {
        const { v } = row.cells[at].dataset;
        return [v === undefined ? row.cells[at].textContent : v && Number(v), row];
      });
      keyed.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        return (up ? 1 : -1) * (typeof a === "number" ? a - b : a < b ? -1 : Number(a > b));
      });
      table.tBodies[0].append(...keyed.map(([, row]) => row));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
    });
  });
}
