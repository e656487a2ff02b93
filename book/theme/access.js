// Names, roles and focus that the theme leaves out, for those who do not see or do not point.
(function () {
  "use strict";

  // a triangle that opens the chapters of a part says of which
  for (const summary of document.querySelectorAll(".bd-sidebar-primary details > summary")) {
    const link = summary.closest("li")?.querySelector("a");
    if (!summary.textContent.trim()) summary.setAttribute("aria-label", `Pages of ${link?.textContent.trim() || "this part"}`);
  }

  // code that scrolls can be scrolled with the keyboard
  const reach = () => {
    for (const pre of document.querySelectorAll(".bd-article pre")) {
      if (pre.scrollWidth > pre.clientWidth) pre.tabIndex = 0;
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
