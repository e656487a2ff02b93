// The panel of a drive that runs in the page, beside formulas; its engine is in drive.js.
(function () {
  "use strict";
  const { Drive, course, seeded } = window.flashwearDrive;
  const USER_PAGES = 65536;
  const POINTS = 400; // of the line
  const RECENT = 50; // points that the amplification is told of in the end
  const NOW = 5; // and on the way
  const DEAR = 1.1; // times the formula, from which cleaning is dear
  const EDGE = 560; // pixels of the map, at most
  const STRIPE = 0.01; // drive writes of the host
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  // between the values of a table, straight in the logarithms of spare and of amplification
  function between(xs, ys, x) {
    let at = xs.findIndex((value) => value >= x);
    if (at < 0 || x < xs[0]) return NaN;
    at = Math.max(at, 1);
    const part = Math.log(x / xs[at - 1]) / Math.log(xs[at] / xs[at - 1]);
    const low = Math.log(ys[at - 1] - 1);
    return 1 + Math.exp(low + part * (Math.log(ys[at] - 1) - low));
  }

  for (const panel of document.querySelectorAll(".fw-drive")) {
    const table = JSON.parse(panel.querySelector("script").textContent);
    const form = panel.querySelector("form");
    const svg = panel.querySelector("svg");
    const line = svg.querySelector(".fw-drive-line");
    const level = svg.querySelector(".fw-drive-level");
    const limit = svg.querySelector(".fw-drive-limit");
    const before = svg.querySelector(".fw-drive-before");
    const dear = svg.querySelector(".fw-drive-dear");
    const axis = svg.querySelector(".fw-drive-axis");
    const said = panel.querySelector(".fw-drive-said");
    const [again, halt, once] = form.querySelectorAll("button");
    const canvas = panel.querySelector("canvas");
    const longest = Number(panel.dataset.longest); // drive writes
    const zoomed = panel.classList.contains("fw-zoomed"); // the game shows it, and it tells what would be cleaned
    const stretch = longest / POINTS;
    const paint = canvas.getContext("2d");
    let earlier = []; // runs that differ in the size of blocks alone
    let now = { points: [] };
    let run = 0;
    let seen = false;
    let halted = false;
    let beat = () => {};
    let step = () => {};

    // the colours of the map, in the scheme that is on
    const palette = () => {
      const style = getComputedStyle(panel);
      return ["--fw-paper", "--fw-line", "--fw-accent", "--fw-new", "--fw-live"].map((name) => {
        const digits = style.getPropertyValue(name).trim().slice(1);
        const [red, green, blue] = digits.length === 3 ? [...digits].map((one) => 17 * parseInt(one, 16)) : [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
        return (255 << 24) | (blue << 16) | (green << 8) | red;
      });
    };

    const asked = () => ({
      op: form.elements.spare.valueAsNumber / 100,
      pages: 2 ** form.elements.pages.valueAsNumber,
      policy: form.elements.policy.value,
      hot: Number(form.elements.skew.value),
      trims: form.elements.trims.valueAsNumber / 100,
      start: form.elements.start.value,
    });

    const start = () => {
      const set = asked();
      const mine = ++run;
      const drive = new Drive(USER_PAGES, set.op, set.pages, set.policy);
      const random = seeded(1);
      const hotPages = Math.round(set.hot * USER_PAGES);
      const draw = () => {
        if (set.hot === 0.5) return Math.floor(random() * USER_PAGES);
        return random() < 1 - set.hot
          ? Math.floor(random() * hotPages)
          : hotPages + Math.floor(random() * (USER_PAGES - hotPages));
      };
      if (set.start === "filled") for (let page = 0; page < USER_PAGES; page++) drive.write(page);
      const begin = drive.writes;
      const request = () => {
        if (set.trims && random() < set.trims && drive.mapped > 0) {
          let page = 0;
          do page = Math.floor(random() * USER_PAGES);
          while (drive.map[page] < 0);
          drive.trim(page);
        } else drive.write(draw());
      };
      // with blocks without end; greedy cleaning takes turns where writes are even
      const used = ((drive.blocks - 1) * set.pages) / USER_PAGES - 1; // without the reserve; copies soon fill the open block
      const road = !zoomed && !set.trims && (set.policy === "fifo" || set.hot === 0.5) ? course(used, set.hot, set.start === "filled", longest) : [];
      const points = [];
      const erased = []; // copies and erases of each
      now = { points, pages: set.pages };
      // the map: each block a cell, by age, filled to its share of valid pages, in stripes of what the host wrote or
      // with those that would be cleaned
      const across = Math.ceil(Math.sqrt(drive.blocks));
      const cell = Math.floor(EDGE / across);
      const inner = cell - (cell > 3 ? 1 : 0); // without the gap
      const picture = new ImageData(across * cell, Math.ceil(drive.blocks / across) * cell);
      const words = new Uint32Array(picture.data.buffer);
      canvas.width = picture.width;
      canvas.height = picture.height;
      let blank = 0;
      let live = 0;
      const advance = () => {
        const [writes, copies, erases] = [drive.writes, drive.copies, drive.erases];
        const goal = writes + stretch * USER_PAGES;
        while (drive.writes < goal) request();
        points.push((drive.writes - writes + drive.copies - copies) / (drive.writes - writes));
        erased.push([drive.copies - copies, drive.erases - erases]);
        const share = 1 / Math.min(points.length, RECENT);
        blank += share * (drive.blank - blank);
        live += share * (drive.mapped - live);
      };
      // the formula of what cleaning can use, if one is tabled
      const spareNow = () => (set.trims ? (drive.blocks * drive.pages - blank) / live - 1 : used);
      const row = table[set.policy][set.policy === "fifo" ? "any" : set.pages]?.[set.hot];
      const known = row && !(set.trims && set.hot !== 0.5);
      const expected = () => (known ? between(table.op, row, spareNow()) : NaN);
      const map = () => {
        const [paper, stale, marked, ...stripes] = palette();
        const limit = DEAR * expected();
        const next = zoomed ? drive.next : [];
        words.fill(paper);
        drive.byAge.forEach(([valid, used, wrote, block], at) => {
          const then = points[Math.floor((wrote - begin) / USER_PAGES / stretch)];
          const stripe = zoomed ? 1 : Math.floor(wrote / USER_PAGES / STRIPE) % 2;
          const colour = (zoomed ? next.includes(block) : then > limit) ? marked : stripes[stripe];
          const left = (at % across) * cell;
          const floor = Math.floor(at / across) * cell + inner - 1;
          for (let row = 0; row < Math.max(1, Math.round(used * inner)); row++) {
            const start = (floor - row) * picture.width + left;
            words.fill(row < Math.round(valid * inner) ? colour : stale, start, start + inner);
          }
        });
        paint.putImageData(picture, 0, 0);
      };
      const show = () => {
        const lately = points.length < POINTS ? -NOW : -RECENT;
        const latest = points.slice(lately);
        const settled = latest.reduce((sum, value) => sum + value, 0) / latest.length;
        const cleaned = erased.slice(lately);
        const [saved, blocks] = cleaned.reduce(([a, b], [copies, erases]) => [a + copies, b + erases], [0, 0]);
        const room = (set.pages - saved / blocks).toPrecision(3); // in a block that is cleaned, for the host
        const held = (set.pages - room).toFixed(room.split(".")[1]?.length ?? 0);
        const ahead = expected();
        const formula = drive.copies ? ahead : NaN;
        const endless = !zoomed && set.policy === "greedy" && set.hot === 0.5 && ahead ? between(table.op, table.fifo.any[set.hot], spareNow()) : NaN;
        const all = [points, ...earlier.map((one) => one.points)].flat();
        const top = Math.max(1.5, Math.ceil(2.4 * (ahead || settled)) / 2, Math.min(2 * (endless || ahead || 0), 1.05 * road.reduce((most, [, value]) => Math.max(most, value), 0)), ...all.map((p) => p * 1.05));
        const x = (at) => 40 + 310 * Math.sqrt(at / POINTS); // the first drive write has a third of it
        const y = (value) => 180 - (165 * (value - 1)) / (top - 1);
        const traced = (values) => values.map((p, at) => `${x(at + 1).toFixed(1)},${y(p).toFixed(1)}`).join(" ");
        line.setAttribute("points", traced(points));
        const stretches = []; // of the line while cleaning is dear
        points.forEach((p, at) => {
          if (zoomed || !(p > DEAR * ahead)) return;
          if (!(points[at - 1] > DEAR * ahead)) stretches.push(`${x(at)},${y(points[at - 1] ?? p)}`);
          stretches.push(`${stretches.pop()} ${x(at + 1).toFixed(1)},${y(p).toFixed(1)}`);
        });
        dear.innerHTML = stretches.map((one) => `<polyline points="${one}"/>`).join("");
        // labels of earlier runs, 13 units apart at least
        const named = [];
        let lowest = Infinity;
        for (const [at, one] of [...earlier.entries()].sort(([, a], [, b]) => a.points.at(-1) - b.points.at(-1))) {
          lowest = Math.min(y(one.points.at(-1)) - 5, lowest - 13);
          named[at] = `<text x="${x(one.points.length)}" y="${lowest}" stroke="var(--pst-color-background)" stroke-width="3" paint-order="stroke">${one.pages} pages</text>`;
        }
        before.innerHTML = earlier
          .map((one, at) => `<polyline points="${traced(one.points)}" fill="none" stroke="currentColor" opacity="0.35"/>${named[at]}`)
          .join("");
        level.setAttribute("visibility", formula ? "visible" : "hidden");
        for (const end of formula ? ["y1", "y2"] : []) level.setAttribute(end, y(formula));
        limit.setAttribute("points", road.filter((_, at) => at % 10 === 0).map(([writes, value]) => `${x((writes / longest) * POINTS).toFixed(1)},${y(Math.min(value, top)).toFixed(1)}`).join(" "));
        axis.textContent = top.toFixed(1);
        said.textContent =
          `After ${((drive.writes - begin) / USER_PAGES).toFixed(2)} drive writes: write amplification ${settled.toFixed(2)}. ` +
          (cleaned.every(([copies]) => copies) ? `Blocks that were cleaned still held ${held} of their ${set.pages} pages on average. These were copied, which left room for ${room} of yours: ${set.pages} / ${room} = ${(set.pages / room).toFixed(1)} pages written for each. ` : "") +
          (!drive.copies
            ? "Nothing was copied yet: it still has blank blocks."
            : formula ? `Formula: ${formula.toFixed(2)} (dashed).`
            : known ? `The formula is tabled from ${100 * table.op[0]} to ${100 * table.op.at(-1)} % of spare flash.` : "No formula of this book has these settings.") +
          (formula && set.policy === "greedy" && set.hot !== 0.5 && set.pages <= 16 ? " With blocks so small and writes so uneven the drive writes up to 30 % more than it says." : "") +
          (set.hot !== 0.5 ? " Hot and cold pages share blocks here, which costs more than even writes; apart they cost less." : "") +
          (endless && drive.copies ? ` With blocks without end (dotted): ${endless.toFixed(2)}.` : "");
      };
      let due = 0;
      let last = performance.now();
      beat = (now) => {
        if (mine !== run || halted || !seen) return;
        const pace = still ? 0 : Number(form.elements.pace.value); // drive writes in a second
        due = pace ? due + (pace * Math.min(Math.max(now - last, 0), 100)) / 1000 / stretch : POINTS;
        last = now;
        for (; due >= 1 && points.length < POINTS; due--) advance();
        if (points.length) show();
        map();
        if (points.length < POINTS) requestAnimationFrame(beat);
        else panel.dataset.done = "";
      };
      step = () => {
        if (points.length < POINTS) advance();
        show();
        map();
      };
      delete panel.dataset.done;
      level.setAttribute("visibility", "hidden");
      line.setAttribute("points", "");
      before.replaceChildren();
      dear.replaceChildren();
      said.textContent = "";
      map();
      beat(last);
    };

    const hold = (on) => {
      halted = on;
      halt.textContent = on ? "Go on" : "Pause";
      if (!on) beat(performance.now());
    };
    form.addEventListener("input", (event) => {
      const { name, value, type, nextElementSibling: shown } = event.target;
      if (type === "range") shown.textContent = name === "pages" ? `${2 ** value}` : `${value} %`;
      if (name === "pages") earlier = [...earlier, ...(now.points.length >= RECENT ? [now] : [])].filter((one) => one.pages !== 2 ** value);
      else if (name !== "pace") earlier = [];
      if (name === "pace" && panel.dataset.done !== "") return;
      hold(false);
      start();
    });
    halt.addEventListener("click", () => hold(!halted));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      seen = true;
      hold(false);
      start();
    });
    once.addEventListener("click", () => {
      hold(true);
      step();
    });
    for (const button of [again, halt, once]) button.disabled = false;
    panel.hidden = zoomed;
    start();
    if (zoomed) continue;
    new IntersectionObserver(
      (entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen = true;
        observer.disconnect();
        if (!halted) start();
      },
      { threshold: 0.3 },
    ).observe(canvas);
  }
})();
