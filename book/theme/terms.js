// What a term means, beside its link: on hover and on focus, gone with Escape, and it can be pointed at.
(function () {
  "use strict";
  const links = document.querySelectorAll("a.fw-term[title]");
  if (!links.length) return;
  const box = document.createElement("div");
  box.id = "fw-meaning";
  box.className = "fw-meaning";
  box.setAttribute("role", "tooltip");
  box.hidden = true;
  let shown = null;
  let waiting = 0;

  const hide = () => {
    clearTimeout(waiting);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  };
  const show = (link) => {
    hide();
    shown = link;
    box.textContent = link.dataset.meaning;
    link.after(box);
    link.setAttribute("aria-describedby", box.id);
    box.hidden = false;
    const room = document.documentElement.clientWidth - 8;
    const place = link.getClientRects()[0];
    const left = Math.max(8, Math.min(place.left, room - box.offsetWidth));
    const above = place.bottom + box.offsetHeight > innerHeight;
    box.style.left = `${left}px`;
    box.style.top = `${above ? place.top - box.offsetHeight : place.bottom}px`;
  };
  const soon = (act, milliseconds) => {
    clearTimeout(waiting);
    waiting = setTimeout(act, milliseconds);
  };

  for (const link of links) {
    link.dataset.meaning = link.title; // else the browser shows it a second time
    link.removeAttribute("title");
    link.addEventListener("mouseenter", () => soon(() => show(link), 150));
    link.addEventListener("mouseleave", () => soon(hide, 250));
    link.addEventListener("focus", () => show(link));
    link.addEventListener("blur", hide);
  }
  box.addEventListener("mouseenter", () => clearTimeout(waiting));
  box.addEventListener("mouseleave", () => soon(hide, 250));
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", () => shown && (shown === document.activeElement ? show(shown) : hide()), true);
})();
