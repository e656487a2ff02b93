// A question before a chapter: a slider for the guess, and how far off it was beside the answer.
(function () {
  "use strict";

  for (const box of document.querySelectorAll(".fw-guess")) {
    const { answer, low, high, step, unit } = box.dataset;
    const fold = box.querySelector("details");
    const label = document.createElement("label");
    const slider = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step });
    slider.value = low;
    const shown = document.createElement("output");
    const verdict = Object.assign(document.createElement("p"), { className: "fw-guess-verdict" });
    verdict.setAttribute("aria-live", "polite");
    label.append("Your guess ", slider, shown);
    fold.before(label);
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
    slider.addEventListener("input", tell);
    tell();
  }
})();
