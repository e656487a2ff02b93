// A queue one can see: turns that SimPy recorded, played on lanes, and the latencies beside them.
(function () {
  "use strict";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const SPEED = 400; // microseconds shown in a second
  const WINDOW = 500; // microseconds across
  const [LEFT, WIDTH, ROW, TOP] = [80, 350, 24, 20];
  const [BARS, BAR_LEFT, BAR_WIDTH] = [20, 470, 150];
  const svgOf = (name, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];

  for (const panel of document.querySelectorAll(".fw-lanes")) {
    const { lanes, depths, runs } = JSON.parse(panel.querySelector("script").textContent);
    const slider = panel.querySelector("input");
    const shown = panel.querySelector(".fw-lanes-depth");
    const halt = panel.querySelector("button");
    const svg = panel.querySelector("svg");
    const said = panel.querySelector(".fw-lanes-said");
    const most = Math.max(...runs.flatMap((run) => run.latencies));
    lanes.forEach((name, lane) => {
      const y = TOP + lane * ROW;
      svg.append(svgOf("text", { x: LEFT - 6, y: y + 14, "text-anchor": "end" }, name));
      svg.append(svgOf("rect", { x: LEFT, y, width: WIDTH, height: ROW - 4, class: "fw-lanes-lane" }));
    });
    const turns = svg.appendChild(svgOf("g", {}));
    svg.append(svgOf("text", { x: BAR_LEFT, y: 14 }, "latency (µs)"));
    svg.append(svgOf("text", { x: BAR_LEFT, y: 310 }, "0"), svgOf("text", { x: BAR_LEFT + BAR_WIDTH, y: 310, "text-anchor": "end" }, `${most}`));
    const bars = svg.appendChild(svgOf("g", {}));
    let now = 0;
    let last = 0;
    let run = runs[0];
    let seen = false;
    let halted = false;

    const draw = () => {
      const from = now - WINDOW;
      const x = (at) => LEFT + (WIDTH * (at - from)) / WINDOW;
      turns.replaceChildren(
        ...run.visits
          .filter(([, , start, end]) => end > from && start < now)
          .map(([lane, request, start, end]) => {
            const [a, b] = [x(Math.max(start, from)), x(Math.min(end, now))];
            return svgOf("rect", { x: a, y: TOP + lane * ROW, width: Math.max(b - a, 0.5), height: ROW - 4, fill: `hsl(${(request * 47) % 360} 55% 55%)` });
          }),
      );
      const ends = run.visits.filter(([lane]) => lane === lanes.length - 1).map(([, , , end]) => end);
      const done = ends.filter((end) => end <= now).length;
      const latencies = run.latencies.slice(0, done).sort((a, b) => a - b);
      const counts = new Array(BARS).fill(0);
      for (const one of latencies) counts[Math.min(BARS - 1, Math.floor((BARS * one) / (most + 1)))]++;
      bars.replaceChildren(
        ...counts.map((count, at) => {
          const height = done ? (270 * count) / done : 0;
          return svgOf("rect", { x: BAR_LEFT + (at * BAR_WIDTH) / BARS, y: 295 - height, width: BAR_WIDTH / BARS - 1, height, class: "fw-lanes-bar" });
        }),
      );
      said.textContent = done
        ? `Depth ${shown.textContent}: ${done} reads done, ${Math.round((1e6 * done) / Math.min(now, ends.at(-1))).toLocaleString("en")} a second. Half take ${share(latencies, 0.5)} µs or less, one in a hundred ${share(latencies, 0.99)} µs or more.`
        : `Depth ${shown.textContent}: nothing is done yet.`;
      return done < ends.length;
    };
    const beat = (time) => {
      if (halted || !seen) return;
      now += (SPEED * Math.min(Math.max(time - last, 0), 100)) / 1000;
      last = time;
      if (draw()) requestAnimationFrame(beat);
      else halt.textContent = "Again";
    };
    const start = () => {
      run = runs[slider.value];
      shown.textContent = depths[slider.value];
      now = still ? Math.max(...run.visits.map(([, , , end]) => end)) : 0;
      last = performance.now();
      draw();
      if (!still) requestAnimationFrame(beat);
    };
    slider.addEventListener("input", () => {
      const idle = halt.textContent === "Again";
      if (idle) halt.textContent = "Pause";
      if (idle || still) return start();
      run = runs[slider.value];
      shown.textContent = depths[slider.value];
      now = 0;
      draw();
    });
    halt.addEventListener("click", () => {
      if (halt.textContent === "Again") {
        halt.textContent = "Pause";
        return start();
      }
      halted = !halted;
      halt.textContent = halted ? "Go on" : "Pause";
      last = performance.now();
      if (!halted) requestAnimationFrame(beat);
    });
    if (still) halt.hidden = true;
    panel.hidden = false;
    start();
    new IntersectionObserver(
      (entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen = true;
        observer.disconnect();
        last = performance.now();
        requestAnimationFrame(beat);
      },
      { threshold: 0.3 },
    ).observe(svg);
  }
})();
