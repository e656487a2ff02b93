// A question before a chapter: the reader guesses, then the answer stands there with how far off it was.
// The guess is remembered in this browser only. Escape or a button skips the question. Until then the box
// "In short" of the chapter, which gives the answer away, is folded.
(function () {
  "use strict";
  const store = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null; // a private window may refuse: then nothing is remembered
    }
  };
  const make = (name, properties) => Object.assign(document.createElement(name), properties);

  const inShort = [...document.querySelectorAll(".admonition.tip")].filter(
    (tip) => document.querySelector(".fw-guess") && tip.querySelector(".admonition-title")?.textContent === "In short",
  );

  for (const tip of inShort)
    tip
      .querySelector(".admonition-title")
      .append(make("span", { className: "fw-waiting", textContent: ": opens after your guess" }));

  for (const box of document.querySelectorAll(".fw-guess")) {
    const { answer, low, high, step, unit } = box.dataset;
    const told = box.querySelector(".fw-guess-told");
    const form = make("form");
    const label = make("label");
    const slider = make("input", { type: "range", min: low, max: high, step, value: low });
    const shown = make("output");
    const show = make("button", { textContent: "Show the answer" });
    const skip = make("button", { type: "button", textContent: "Skip (Esc)" });
    const again = make("button", { type: "button", textContent: "Guess again" });
    const live = make("div");
    live.setAttribute("aria-live", "polite");
    label.append("Your guess ", slider, shown);
    form.append(label, show, skip, again);
    told.before(form, live);

    const key = `fw-guess ${location.pathname}`;
    const said = () => `${slider.value} ${Number(slider.value) === 1 ? unit.replace(/s$/, "") : unit}`;
    const weighed = () => {
      const off = Number(slider.value) - Number(answer);
      const times = Math.max(slider.value / answer, answer / slider.value);
      const factor = Number(low) > 0; // of a scale that begins at 0 the difference tells more
      const near = factor ? times < 1.1 : Math.abs(off) < (high - low) / 20;
      const apart = factor ? `a factor of ${times.toFixed(1)}` : `${Math.abs(off)} ${unit === "%" ? "percentage points" : unit}`;
      return `You said ${said()}: ${near ? "right." : `too ${off > 0 ? "high" : "low"}, by ${apart}.`}`;
    };
    // asked, told or skipped; a guess that was not made is not weighed
    const turn = (state, guessed) => {
      const held = form.contains(document.activeElement);
      box.dataset.state = state;
      for (const tip of inShort) tip.classList.toggle("fw-waits", state === "asked");
      slider.disabled = state === "told";
      show.hidden = skip.hidden = state !== "asked";
      again.hidden = state === "asked";
      label.hidden = state === "skipped";
      live.replaceChildren(guessed ? make("p", { textContent: weighed() }) : "");
      if (state === "told") live.append(told);
      else live.after(told);
      if (held) (state === "asked" ? slider : again).focus();
    };
    const leave = () => {
      store((kept) => kept.setItem(key, "skipped"));
      turn("skipped");
    };

    let moved = false;
    slider.addEventListener("input", () => {
      moved = true;
      shown.textContent = said();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      store((kept) => kept.setItem(key, moved ? slider.value : "told"));
      turn("told", moved);
    });
    skip.addEventListener("click", leave);
    again.addEventListener("click", () => {
      store((kept) => kept.removeItem(key));
      turn("asked");
    });
    document.addEventListener("keydown", (event) => {
      const here = event.target === document.body || box.contains(event.target);
      if (event.key === "Escape" && here && box.dataset.state === "asked") leave();
    });

    const before = store((kept) => kept.getItem(key));
    moved = before !== null && !Number.isNaN(Number(before));
    if (moved) slider.value = before;
    shown.textContent = said();
    turn(moved ? "told" : (before ?? "asked"), moved);
  }
})();
