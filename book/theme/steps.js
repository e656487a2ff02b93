// Drawings in steps: back, next and play, by button or arrow key; each step says what happens.
(function () {
  "use strict";
  const STEP_MS = 4000;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  for (const figure of document.querySelectorAll("figure.fw-drawing:has(.fw-steps)")) {
    const steps = [...figure.querySelectorAll(".fw-steps > li")];
    const parts = [...figure.querySelectorAll("[data-from]")];
    const moving = [...figure.querySelectorAll(".fw-moving")].map((part) => ({
      part,
      places: part.dataset.at.split(" ").map((at) => at.split(",")),
      kinds: part.dataset.is.split(" "),
    }));
    const bar = document.createElement("div");
    bar.className = "fw-step-bar";
    const words = document.createElement("p");
    words.className = "fw-step";
    words.setAttribute("aria-live", "polite");
    const said = (step) => `${step} of ${steps.length}: ${steps[step - 1].textContent}`;
    const room = document.createElement("div");
    room.className = "fw-step-words";
    room.append(
      words,
      ...steps.map((_, at) => {
        const made = document.createElement("p");
        made.setAttribute("aria-hidden", "true");
        made.textContent = said(at + 1);
        return made;
      }),
    );
    let now = 1;
    let playing = 0;

    const button = (label, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.addEventListener("click", act);
      bar.append(made);
      return made;
    };
    const show = (step) => {
      now = Math.max(1, Math.min(steps.length, step));
      for (const part of parts) {
        const there = now >= Number(part.dataset.from) && now <= Number(part.dataset.to);
        part.setAttribute("visibility", there ? "visible" : "hidden");
      }
      for (const { part, places, kinds } of moving) {
        const [x, y] = places[now - 1];
        const gone = kinds[now - 1] === "-";
        part.style.transform = `translate(${x}px, ${y}px)`;
        part.style.opacity = gone ? 0 : 1;
        if (!gone) part.style.fill = `var(--fw-${kinds[now - 1]})`;
      }
      words.textContent = said(now);
      back.disabled = now === 1;
      next.disabled = now === steps.length;
    };
    const stop = () => {
      clearInterval(playing);
      playing = 0;
      if (play) play.textContent = "Play";
    };
    const go = (step) => {
      stop();
      show(step);
    };
    const back = button("Back", () => go(now - 1));
    const next = button("Next", () => go(now + 1));
    const play = still
      ? null
      : button("Play", () => {
          if (playing) return stop();
          if (now === steps.length) show(1);
          play.textContent = "Pause";
          playing = setInterval(() => (now < steps.length ? show(now + 1) : stop()), STEP_MS);
        });
    bar.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      go(now + by);
    });
    figure.querySelector(".fw-steps").replaceWith(bar, room);
    figure.dataset.step = "";
    show(1);
  }
})();
