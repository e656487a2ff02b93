// Names, roles and focus that the theme leaves out, for those who do not see or do not point.
(function () {
  "use strict";

  // a triangle that opens the chapters of a part says of which
  for (const summary of document.querySelectorAll(".bd-sidebar-primary details > summary")) {
    const link = summary.closest("li")?.querySelector("a");
    if (!summary.textContent.trim()) summary.setAttribute("aria-label", `Pages of ${link?.textContent.trim() || "this part"}`);
  }

  // code and tables that scroll can be scrolled with the keyboard; a table says that it does
  const overflows = (box) => box.scrollWidth > box.clientWidth + 1;
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
