// One control a page for all folded code, in place of a bar at each cell.
(function () {
  "use strict";
  const folds = document.querySelectorAll("details.hide.above-input");
  const place = document.querySelector(".bd-article .fw-minutes") || document.querySelector(".bd-article h1");
  if (!folds.length || !place) return;
  const KEY = "flashwear-code";
  const kept = () => {
    try {
      return sessionStorage.getItem(KEY) === "shown";
    } catch {
      return false; // a browser may keep nothing for pages from disk
    }
  };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fw-code-button";
  const set = (shown) => {
    button.textContent = shown ? "Hide the code of charts and tables" : "Show the code of charts and tables";
    button.setAttribute("aria-expanded", String(shown));
    for (const fold of folds) fold.open = shown;
  };
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-expanded") !== "true";
    set(shown);
    try {
      sessionStorage.setItem(KEY, shown ? "shown" : "");
    } catch {
      // as above
    }
  });
  document.documentElement.classList.add("fw-one-fold");
  place.after(button);
  set(kept());
})();
