// A filter above each table[data-filter]: a text box, a menu for each name in data-menus, whose
// values the rows carry ("Topic": data-topic), and one for each column whose head has data-select.
// Without this script the whole table is there.
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
    const menu = (label, value) => {
      const values = [...new Set(rows.map(value))].sort();
      const options = values.map((text) => element("option", { value: text }, text));
      const select = element("select", {}, element("option", { value: "" }, "all"), ...options);
      select.style.maxWidth = "100%";
      return { label, value, select };
    };
    const heads = [...table.tHead.rows[0].cells].filter((head) => "select" in head.dataset);
    const menus = [
      ...(table.dataset.menus || "").split(" ").filter(Boolean).map((name) =>
        menu(name, ({ row }) => row.dataset[name.toLowerCase()]),
      ),
      ...heads.map((head) => menu(head.textContent.trim(), ({ cells }) => cells[head.cellIndex])),
    ];
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
      for (const one of rows) {
        const fits =
          wanted.every((word) => one.text.includes(word)) &&
          menus.every(({ select, value }) => !select.value || select.value === value(one));
        one.row.hidden = !fits;
        shown += fits;
      }
      status.textContent = `${shown} of ${rows.length} rows`;
    }

    // a link to a row that the filter hides, or in a table that is folded
    function reveal() {
      const row = location.hash && document.getElementById(location.hash.slice(1));
      if (!row || !table.contains(row)) return;
      const folded = table.closest("details:not([open])");
      if (!row.hidden && !folded) return;
      if (folded) folded.open = true;
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
    reveal();
  }

  document.querySelectorAll("table[data-filter]").forEach(enhance);
})();
