// Names, roles and focus that the theme leaves out, for those who do not see or do not point.
(function () {
  "use strict";

  // a triangle that opens the chapters of a part says of which
  for (const summary of document.querySelectorAll(".bd-sidebar-primary details > summary")) {
    const link = summary.closest("li")?.querySelector("a");
    if (!summary.textContent.trim()) summary.setAttribute("aria-label", `Pages of ${link?.textContent.trim() || "this part"}`);
  }

  // the logo stands in a landmark, and the name of the search field holds all that it shows
  const logo = document.querySelector(".bd-sidebar-primary .navbar-brand")?.parentElement;
  logo?.setAttribute("role", "navigation");
  logo?.setAttribute("aria-label", "Start page");
  document.querySelector(".search-button-field")?.removeAttribute("aria-label");

  // parts of the list of pages fold; what is for those who check or look up starts folded
  const FOLDED = ["Workshop", "Reference"];
  for (const caption of document.querySelectorAll(".bd-sidebar-primary .bd-links p.caption")) {
    const list = caption.nextElementSibling;
    if (list?.tagName !== "UL") continue;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "fw-part" });
    button.append(...caption.childNodes);
    caption.append(button);
    const fold = (folded) => {
      list.hidden = folded;
      button.setAttribute("aria-expanded", String(!folded));
    };
    fold(FOLDED.includes(button.textContent.trim()) && !list.querySelector(".current"));
    button.addEventListener("click", () => fold(!list.hidden));
  }

  const overflows = (box) => box.scrollWidth > box.clientWidth + 1;

  // a table of many or wide columns becomes cards on a phone: each cell says of which column it is
  for (const table of document.querySelectorAll(".bd-article .output table")) {
    const heads = [...(table.tHead?.rows.length === 1 ? table.tHead.rows[0].cells : [])];
    if (heads.length < 2 || (heads.length < 4 && !overflows(table.parentElement))) continue;
    if (table.classList.contains("fw-claims")) continue;
    table.classList.add("fw-cards");
    for (const row of table.tBodies[0].rows)
      for (const cell of row.cells) cell.dataset.label = heads[cell.cellIndex]?.textContent.trim() || "";
  }

  // code and tables that scroll can be scrolled with the keyboard; a table says that it does
  const ends = ({ target: box }) =>
    box.classList.toggle("fw-scrolls-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  const reach = () => {
    for (const pre of document.querySelectorAll(".bd-article pre")) if (overflows(pre)) pre.tabIndex = 0;
    for (const box of document.querySelectorAll(".bd-article :is(.output, .pst-scrollable-table-container):has(> table)")) {
      const wide = overflows(box);
      box.classList.toggle("fw-scrolls", wide);
      ends({ target: box });
      if (!wide || box.role === "region") continue;
      box.tabIndex = 0;
      box.role = "region";
      const caption = box.querySelector("caption")?.textContent.trim() || "A wide table";
      box.setAttribute("aria-label", `${caption.slice(0, 80)}, scrolls sideways`);
      box.addEventListener("scroll", ends);
    }
  };
  reach();
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true); // of a fold, once it is open
  document.addEventListener("click", () => setTimeout(reach));

  // the list of modules nests its lists beside their entries
  for (const list of document.querySelectorAll("ul > ul")) list.previousElementSibling?.append(list);

  // roles that the standard has given up
  for (const entry of document.querySelectorAll("[role=doc-biblioentry]")) entry.removeAttribute("role");
  for (const list of document.querySelectorAll(".citation-list[role=list]")) list.removeAttribute("role");
})();
