// A question before a chapter: a slider for the guess, and how far off it was beside the answer.
// It is remembered in this browser, and Escape or a button skips it.
(function () {
  "use strict";
  const kept = {
    get: (name) => {
      try {
        return localStorage.getItem(name);
      } catch {
        return null; // a browser may refuse
      }
    },
    set: (name, value) => {
      try {
        localStorage.setItem(name, value);
      } catch {
        // then it is not remembered
      }
    },
  };

  for (const box of document.querySelectorAll(".fw-guess")) {
    const { answer, low, high, step, unit } = box.dataset;
    const fold = box.querySelector("details");
    const label = document.createElement("label");
    const slider = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step });
    const name = `fw-guess ${location.pathname}`;
    const before = kept.get(name);
    slider.value = before !== null && before !== "skip" ? before : low;
    const skip = Object.assign(document.createElement("button"), { type: "button", textContent: "Skip" });
    const shown = document.createElement("output");
    const verdict = Object.assign(document.createElement("p"), { className: "fw-guess-verdict" });
    verdict.setAttribute("aria-live", "polite");
    label.append("Your guess ", slider, shown);
    fold.before(label, skip);
    fold.querySelector("summary").after(verdict);

    const tell = () => {
      const guess = Number(slider.value);
      shown.textContent = `${guess} ${unit}`;
      const off = guess / Number(answer);
      const times = Math.max(off, 1 / off);
      verdict.textContent =
        times < 1.1
          ? `You said ${guess} ${unit}: right.`
          : `You said ${guess} ${unit}: too ${off > 1 ? "high" : "low"}, by a factor of ${times.toFixed(1)}.`;
    };
    const leave = () => {
      box.hidden = true;
      kept.set(name, "skip");
    };
    slider.addEventListener("input", () => {
      tell();
      kept.set(name, slider.value);
    });
    skip.addEventListener("click", leave);
    box.addEventListener("keydown", (event) => event.key === "Escape" && leave());
    box.hidden = before === "skip";
    tell();
  }
})();
