// A filter above each table[data-filter]: a text box, and a menu for each column whose head
// has data-select. Without this script the whole table is there.
(function () {
  "use strict";

  function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function enhance(table) {
    const rows = [...table.tBodies[0].rows].map((row) => ({
      row,
      text: row.textContent.toLowerCase(),
      cells: [...row.cells].map((cell) => cell.textContent.trim()),
    }));
    const words = element("input", { type: "search", autocomplete: "off" });
    const menus = [...table.tHead.rows[0].cells]
      .filter((head) => "select" in head.dataset)
      .map((head) => {
        const values = [...new Set(rows.map(({ cells }) => cells[head.cellIndex]))].sort();
        const options = values.map((value) => element("option", { value }, value));
        const select = element("select", {}, element("option", { value: "" }, "all"), ...options);
        return { select, column: head.cellIndex, label: head.textContent.trim() };
      });
    const status = element("output", { className: "fw-filter-count" });
    const form = element(
      "form",
      { className: "fw-filter", role: "search" },
      element("label", {}, "Words ", words),
      ...menus.map(({ select, label }) => element("label", {}, `${label} `, select)),
      status,
    );

    function apply() {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { row, text, cells } of rows) {
        const fits =
          wanted.every((word) => text.includes(word)) &&
          menus.every(({ select, column }) => !select.value || select.value === cells[column]);
        row.hidden = !fits;
        shown += fits;
      }
      status.textContent = `${shown} of ${rows.length} rows`;
    }

    // a link to a row that the filter hides
    function reveal() {
      const row = location.hash && document.getElementById(location.hash.slice(1));
      if (!row || !table.contains(row) || !row.hidden) return;
      form.reset();
      apply();
      row.scrollIntoView();
    }

    form.style.cssText = "display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center";
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", apply);
    window.addEventListener("hashchange", reveal);
    table.before(form);
    apply();
  }

  document.querySelectorAll("table[data-filter]").forEach(enhance);
})();
