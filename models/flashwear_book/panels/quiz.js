// Questions at the end of a chapter: an answer opens why, and right ones are counted.
(function () {
  "use strict";
  for (const quiz of document.querySelectorAll(".fw-quiz")) {
    const said = quiz.querySelector(".fw-quiz-said");
    const first = new Map(); // what was chosen first in each question
    const parts = [...quiz.querySelectorAll("fieldset")];
    quiz.addEventListener("submit", (event) => event.preventDefault());
    quiz.addEventListener("change", ({ target }) => {
      const part = target.closest("fieldset");
      const right = target.value === "1";
      if (!first.has(part)) first.set(part, right);
      part.dataset.right = right;
      part.querySelector("details").open = right;
      const count = [...first.values()].filter(Boolean).length;
      said.textContent = `${right ? "Right." : "No: try again."} ${count} of ${first.size} right at the first try${first.size === parts.length ? "." : `, ${parts.length - first.size} to go.`}`;
    });
  }
})();
