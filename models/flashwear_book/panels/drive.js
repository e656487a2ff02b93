// A drive that runs in the page: flashwear.ftl.State, greedy or FIFO, page by page, with one frontier or
// one for each stream ("hot_cold").
(function () {
  "use strict";
  const FREE = 0;
  const OPEN = 1;
  const CLOSED = 2;

  class Drive {
    constructor(userPages, op, pages, policy, streams = 1) {
      this.pages = pages;
      this.greedy = policy === "greedy";
      this.blocks = Math.floor(((userPages * (1 + op)) / pages) * (1 + 1e-12));
      this.map = new Int32Array(userPages).fill(-1); // page to slot
      this.held = new Int32Array(this.blocks * pages); // slot to page
      this.valid = new Int32Array(this.blocks);
      this.status = new Uint8Array(this.blocks);
      this.pool = new Queue(this.blocks);
      for (let block = 0; block < this.blocks; block++) this.pool.push(block);
      this.closed = new Queue(2 * this.blocks); // in the order in which they were filled, for FIFO
      this.reserve = streams; // free blocks below which cleaning starts
      this.open = new Int32Array(streams).fill(-1);
      this.slot = new Int32Array(streams);
      this.stop = new Int32Array(streams);
      this.streamOf = new Uint8Array(this.blocks);
      this.born = new Float64Array(this.blocks); // pages programmed when it was opened
      this.writes = this.copies = this.mapped = 0;
      // greedy: blocks noted by their count of valid pages, those with few only
      this.head = new Int32Array(pages + 2).fill(-1);
      this.noteBlock = new Int32Array(4 * this.blocks);
      this.noteNext = new Int32Array(4 * this.blocks);
      this.clearNotes();
      this.lowest = this.threshold = 0;
    }

    write(page, stream = 0) {
      while (this.slot[stream] === this.stop[stream]) this.makeRoom(stream);
      const old = this.map[page];
      const slot = this.slot[stream]++;
      this.map[page] = slot;
      this.held[slot] = page;
      this.writes++;
      if (old >= 0) this.invalidate(old);
      else this.mapped++;
    }

    trim(page) {
      const old = this.map[page];
      if (old < 0) return;
      this.map[page] = -1;
      this.mapped--;
      this.invalidate(old);
    }

    invalidate(slot) {
      const block = Math.floor(slot / this.pages);
      if (--this.valid[block] < this.threshold && this.status[block] === CLOSED) this.note(block);
    }

    makeRoom(stream) {
      this.openNext(stream);
      while (this.pool.length < this.reserve) this.clean(this.greedy ? this.emptiest() : this.closed.shift());
    }

    openNext(stream) {
      const full = this.open[stream];
      if (full >= 0) {
        this.status[full] = CLOSED;
        if (!this.greedy) this.closed.push(full);
        else if (this.valid[full] < this.threshold) this.note(full);
      }
      const next = this.pool.shift();
      this.open[stream] = next;
      this.status[next] = OPEN;
      this.streamOf[next] = stream;
      this.born[next] = this.writes + this.copies;
      this.valid[next] = this.pages; // what is to come counts as valid
      this.slot[stream] = next * this.pages;
      this.stop[stream] = this.slot[stream] + this.pages;
    }

    clean(block) {
      const start = block * this.pages;
      const stream = this.streamOf[block];
      for (let slot = start; slot < start + this.pages; slot++) {
        const page = this.held[slot];
        if (this.map[page] !== slot) continue; // stale
        if (this.slot[stream] === this.stop[stream]) this.openNext(stream);
        const place = this.slot[stream]++;
        this.map[page] = place;
        this.held[place] = page;
        this.copies++;
      }
      this.status[block] = FREE;
      this.pool.push(block);
    }

    clearNotes() {
      for (let at = 0; at < this.noteNext.length; at++) this.noteNext[at] = at + 1;
      this.noteNext[this.noteNext.length - 1] = -1;
      this.free = 0;
    }

    note(block) {
      if (this.free < 0) return this.noteAnew();
      const at = this.free;
      const left = this.valid[block];
      this.free = this.noteNext[at];
      this.noteBlock[at] = block;
      this.noteNext[at] = this.head[left];
      this.head[left] = at;
      if (left <= this.lowest) this.lowest = left;
    }

    noteAnew() {
      let least = this.pages + 2;
      for (let block = 0; block < this.blocks; block++)
        if (this.status[block] === CLOSED) least = Math.min(least, this.valid[block]);
      this.threshold = least + 2;
      this.lowest = least;
      this.head.fill(-1);
      this.clearNotes();
      for (let block = 0; block < this.blocks; block++)
        if (this.status[block] === CLOSED && this.valid[block] < this.threshold) this.note(block);
    }

    emptiest() {
      for (;;) {
        for (let level = this.lowest; level < this.threshold; ) {
          const at = this.head[level];
          if (at < 0) {
            level++;
            continue;
          }
          const block = this.noteBlock[at];
          this.head[level] = this.noteNext[at];
          this.noteNext[at] = this.free;
          this.free = at;
          if (this.status[block] === CLOSED && this.valid[block] === level) {
            this.lowest = level;
            return block;
          }
        }
        this.noteAnew();
      }
    }

    // blocks from the last opened to the oldest, blank ones first, each with its shares of valid and of programmed
    // pages, and its age: 1 is the whole flash programmed since
    get byAge() {
      const now = this.writes + this.copies;
      const order = Float64Array.from(this.born, (born, block) => (this.status[block] === FREE ? 0 : now - born + 1) * this.blocks + block).sort();
      return Array.from(order, (key) => {
        const block = key % this.blocks;
        if (this.status[block] === FREE) return [0, 0, 0];
        const stream = this.streamOf[block];
        const left = block === this.open[stream] ? this.stop[stream] - this.slot[stream] : 0;
        return [(this.valid[block] - left) / this.pages, 1 - left / this.pages, (now - this.born[block]) / (this.blocks * this.pages)];
      });
    }

    get blank() {
      return this.slot.reduce((sum, slot, stream) => sum + this.stop[stream] - slot, this.pool.length * this.pages);
    }
  }

  class Queue {
    constructor(most) {
      this.items = new Int32Array(most);
      this.first = this.length = 0;
    }
    push(item) {
      this.items[(this.first + this.length++) % this.items.length] = item;
    }
    shift() {
      const item = this.items[this.first];
      this.first = (this.first + 1) % this.items.length;
      this.length--;
      return item;
    }
  }

  // random numbers in [0, 1), the same at each start: xorshift of 32 bits
  function seeded(seed) {
    let state = seed;
    return () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) / 4294967296;
    };
  }

  window.flashwearDrive = { Drive, seeded };

  // ---- the panel ----
  const USER_PAGES = 65536;
  const LONGEST = 8; // drive writes
  const STEP = 0.02; // drive writes for which one point of the line stands
  const RECENT = 50; // points that the amplification is told of
  const EDGE = 560; // pixels of the map, at most
  const AGES = 64; // steps of its colours
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
    const axis = svg.querySelector(".fw-drive-axis");
    const said = panel.querySelector(".fw-drive-said");
    const [again, halt, once] = form.querySelectorAll("button");
    const canvas = panel.querySelector("canvas");
    const paint = canvas.getContext("2d");
    let earlier = []; // runs that differ in the size of blocks alone
    let now = { points: [] };
    let run = 0;
    let seen = false;
    let halted = false;
    let beat = () => {};
    let step = () => {};

    // the colours of the map, in the scheme that is on: paper, stale, and AGES from new to valid
    const palette = () => {
      const style = getComputedStyle(panel);
      const [paper, stale, young, old] = ["--fw-paper", "--fw-line", "--fw-new", "--fw-live"].map((name) => {
        const digits = style.getPropertyValue(name).trim().slice(1);
        return digits.length === 3 ? [...digits].map((one) => 17 * parseInt(one, 16)) : [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
      });
      const ages = Array.from({ length: AGES }, (_, at) => young.map((value, part) => Math.round(value + (at / (AGES - 1)) * (old[part] - value))));
      return [paper, stale, ...ages].map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
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
      const points = [];
      now = { points, pages: set.pages };
      // the map: each block a cell, by age, filled to its share of valid pages
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
        const [writes, copies] = [drive.writes, drive.copies];
        const goal = writes + STEP * USER_PAGES;
        while (drive.writes < goal) request();
        points.push((drive.writes - writes + drive.copies - copies) / (drive.writes - writes));
        const share = 1 / Math.min(points.length, RECENT);
        blank += share * (drive.blank - blank);
        live += share * (drive.mapped - live);
      };
      const whole = Math.round(LONGEST / STEP);
      const map = () => {
        const [paper, stale, ...ages] = palette();
        words.fill(paper);
        drive.byAge.forEach(([valid, used, age], at) => {
          const left = (at % across) * cell;
          const floor = Math.floor(at / across) * cell + inner - 1;
          for (let row = 0; row < Math.round(used * inner); row++) {
            const start = (floor - row) * picture.width + left;
            words.fill(row < Math.round(valid * inner) ? ages[Math.floor(Math.min(age, 1) * (AGES - 1))] : stale, start, start + inner);
          }
        });
        paint.putImageData(picture, 0, 0);
      };
      const show = () => {
        const settled = points.slice(-RECENT).reduce((sum, value) => sum + value, 0) / Math.min(points.length, RECENT);
        const spare = (drive.blocks * drive.pages - blank) / live - 1; // that cleaning can use
        const row = table[set.policy][set.policy === "fifo" ? "any" : set.pages]?.[set.hot];
        const known = row && !(set.trims && set.hot !== 0.5);
        const formula = known && drive.copies ? between(table.op, row, spare) : NaN;
        const endless = set.policy === "greedy" && set.hot === 0.5 && formula ? between(table.op, table.fifo.any[set.hot], spare) : NaN;
        const all = [points, ...earlier.map((one) => one.points)].flat();
        const top = Math.max(1.5, Math.ceil(2.4 * (formula || settled)) / 2, Math.ceil(2.1 * (endless || 0)) / 2, ...all.map((p) => p * 1.05));
        const x = (at) => 40 + 310 * Math.sqrt(at / whole); // the first drive write has a third of it
        const y = (value) => 180 - (165 * (value - 1)) / (top - 1);
        const traced = (values) => values.map((p, at) => `${x(at + 1).toFixed(1)},${y(p).toFixed(1)}`).join(" ");
        line.setAttribute("points", traced(points));
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
        for (const [mark, value] of [[level, formula], [limit, endless]]) {
          mark.setAttribute("visibility", value ? "visible" : "hidden");
          for (const end of value ? ["y1", "y2"] : []) mark.setAttribute(end, y(value));
        }
        axis.textContent = top.toFixed(1);
        const percent = (100 * spare).toFixed(1);
        said.textContent =
          `After ${((drive.writes - begin) / USER_PAGES).toFixed(1)} drive writes: write amplification ${settled.toFixed(2)}. ` +
          (!drive.copies
            ? "Nothing was copied yet: it still has blank blocks."
            : formula ? `Formula: ${formula.toFixed(2)}, for the ${percent} % of spare flash that cleaning can use.`
            : known ? `The formula is tabled from ${100 * table.op[0]} to ${100 * table.op.at(-1)} % of spare flash.` : "No formula of this book has these settings.") +
          (formula && set.policy === "greedy" && set.hot !== 0.5 && set.pages <= 16 ? " With blocks so small and writes so uneven the drive writes up to 30 % more than it says." : "") +
          (endless ? ` With blocks without end (dotted): ${endless.toFixed(2)}.` : "");
      };
      let due = 0;
      let last = performance.now();
      beat = (now) => {
        if (mine !== run || halted || !seen) return;
        const pace = still ? 0 : Number(form.elements.pace.value); // drive writes in a second
        due = pace ? due + (pace * Math.min(Math.max(now - last, 0), 100)) / 1000 / STEP : whole;
        last = now;
        for (; due >= 1 && points.length < whole; due--) advance();
        if (points.length) show();
        map();
        if (points.length < whole) requestAnimationFrame(beat);
        else panel.dataset.done = "";
      };
      step = () => {
        if (points.length < whole) advance();
        show();
        map();
      };
      delete panel.dataset.done;
      for (const mark of [level, limit]) mark.setAttribute("visibility", "hidden");
      line.setAttribute("points", "");
      before.replaceChildren();
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
      if (name !== "pace" || panel.dataset.done === "") start();
    });
    halt.addEventListener("click", () => hold(!halted));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      hold(false);
      start();
    });
    once.addEventListener("click", () => {
      hold(true);
      step();
    });
    for (const button of [again, halt, once]) button.disabled = false;
    panel.hidden = panel.classList.contains("fw-zoomed"); // the game shows that one
    start();
    new IntersectionObserver(
      (entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen = true;
        observer.disconnect();
        if (!halted) start();
      },
      { threshold: 0.3 },
    ).observe(canvas.parentElement); // not as large as the canvas while it zooms out
  }
})();
