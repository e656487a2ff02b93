// Be the drive: blocks of four pages, cleaned by the reader. The engine is that of drive.js.
(function () {
  "use strict";
  const { Drive, seeded } = window.flashwearDrive;
  const BLOCKS = 8; // if a level has no number of its own
  const PAGES = 4;
  const COUNTED = 60; // writes after the drive is full that the score is of
  const DEALS = 200;
  const WIDTH = 300; // states that the search for the best game keeps
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // a page of the map is a letter, _ the space; written as often as English has it
  const LETTERS = "acdefghilmnoprstuwy_bkqv";
  const OFTEN = [82, 28, 43, 127, 22, 20, 61, 70, 40, 24, 67, 75, 19, 60, 63, 91, 28, 24, 20, 180, 15, 8, 1, 10];

  const blocksOf = (level) => level.blocks ?? BLOCKS;
  const blank = (level) => new Drive(level.letters, (blocksOf(level) * PAGES) / level.letters - 1, PAGES, "greedy", level.streams ?? 1);
  const isHot = (level, page) => page < (level.hot ?? 0);
  const streamFor = (level, page) => ((level.streams ?? 1) > 1 && isHot(level, page) ? 1 : 0);
  const label = (level, page) => (!level.hot || isHot(level, page) ? LETTERS[page] : `${page - level.hot + 1}`);

  // requests without end: first each page once, then by chance; n is a write of page n, ~n its TRIM
  function* dealt(level, seed) {
    const random = seeded(seed);
    for (let draw = 0; draw < 20; draw++) random();
    const total = OFTEN.slice(0, level.letters).reduce((sum, one) => sum + one, 0);
    for (let page = 0; page < level.letters; page++) yield page;
    for (;;) {
      if (level.hot) {
        const hot = random() < level.share;
        yield hot ? Math.floor(random() * level.hot) : level.hot + Math.floor(random() * (level.letters - level.hot));
        continue;
      }
      if (level.file && random() < level.deletes) {
        const first = Math.floor((random() * level.letters) / level.file) * level.file;
        for (let page = first; page < Math.min(first + level.file, level.letters); page++) yield ~page;
      }
      let left = random() * total;
      let page = 0;
      while ((left -= OFTEN[page]) > 0) page++;
      yield page;
    }
  }

  const closed = (drive) => {
    const found = [];
    for (let block = 0; block < drive.blocks; block++) if (drive.status[block] === 2) found.push(block);
    return found;
  };
  const legal = (drive) => closed(drive).filter((block) => drive.valid[block] < PAGES);
  // true if a block must be cleaned before the next write to a stream
  const due = (drive, stream) => {
    while (drive.slot[stream] === drive.stop[stream]) {
      if (drive.pool.length < drive.reserve) return true;
      drive.openNext(stream);
    }
    return drive.pool.length < drive.reserve;
  };
  const emptiest = (drive) => legal(drive).reduce((best, block) => (drive.valid[block] < drive.valid[best] ? block : best));

  // one request, with a chooser of blocks
  function serve(level, drive, request, choose) {
    if (request < 0) return drive.trim(~request);
    const stream = streamFor(level, request);
    while (due(drive, stream)) drive.clean(choose(drive));
    drive.write(request, stream);
  }
  // a drive that has been in use: what its level says is written before the game begins
  function ready(level, requests) {
    const drive = blank(level);
    for (const request of requests.slice(0, level.warm ?? 0)) serve(level, drive, request, emptiest);
    drive.copies = drive.writes = 0;
    return drive;
  }

  // play requests to the end of the count; the count begins where cleaning does
  function play(level, requests, choose) {
    const drive = ready(level, requests);
    let from = level.warm ? 0 : -1;
    const states = [];
    for (const request of requests.slice(level.warm ?? 0)) {
      if (request >= 0 && from < 0 && due(drive, streamFor(level, request))) from = drive.writes;
      if (request >= 0 && from >= 0 && drive.writes - from === COUNTED) break;
      serve(level, drive, request, choose);
      if (request >= 0) states.push([drive.copies, [...drive.map]]);
    }
    return { score: drive.copies / COUNTED, states };
  }

  function copyOf(drive) {
    const twin = Object.create(Drive.prototype);
    for (const [name, value] of Object.entries(drive))
      twin[name] = ArrayBuffer.isView(value) ? value.slice() : value;
    for (const queue of ["pool", "closed"]) {
      twin[queue] = Object.create(Object.getPrototypeOf(drive[queue]));
      Object.assign(twin[queue], drive[queue], { items: drive[queue].items.slice() });
    }
    return twin;
  }

  // the fewest copies that a search finds which knows all writes: no less is proved
  function best(level, requests) {
    let states = [{ drive: ready(level, requests), next: level.warm ?? 0, from: level.warm ? 0 : -1 }];
    let least = Infinity;
    while (states.length) {
      const found = new Map();
      for (const state of states) {
        const { drive } = state;
        for (;;) {
          if (state.next >= requests.length || (state.from >= 0 && drive.writes - state.from === COUNTED)) {
            least = Math.min(least, drive.copies);
            break;
          }
          if (requests[state.next] < 0) drive.trim(~requests[state.next++]);
          else if (due(drive, streamFor(level, requests[state.next]))) {
            const from = state.from < 0 ? drive.writes : state.from;
            for (const block of legal(drive)) {
              const twin = copyOf(drive);
              twin.clean(block);
              const key = `${state.next} ${[...twin.map]}`;
              if (!(found.get(key)?.drive.copies <= twin.copies)) found.set(key, { drive: twin, next: state.next, from });
            }
            break;
          } else {
            const page = requests[state.next++];
            drive.write(page, streamFor(level, page));
          }
        }
      }
      // in the same round fewer copies for more writes done are better
      states = [...found.values()]
        .filter((state) => state.drive.copies < least)
        .sort((a, b) => a.drive.copies - a.next - (b.drive.copies - b.next))
        .slice(0, WIDTH);
    }
    return least / COUNTED;
  }

  const take = (level, seed, count = 400 + (level.warm ?? 0)) => {
    const deal = dealt(level, seed);
    return Array.from({ length: count }, () => deal.next().value);
  };
  const spread = (level) =>
    Array.from({ length: DEALS }, (_, at) => play(level, take(level, at + 1), emptiest).score).sort((a, b) => a - b);

  window.flashwearGame = { best, emptiest, legal, play, spread, streamFor, take };

  for (const panel of document.querySelectorAll(".fw-game")) {
    const levels = JSON.parse(panel.querySelector("script").textContent);
    const part = (name) => panel.querySelector(`.fw-game-${name}`);
    const [field, next, told, score, after, typed, go] = ["blocks", "next", "told", "score", "after", "typed", "go"].map(part);
    let level, drive, deal, waiting, done, from, kind, ended, choosing;
    let timer = 0;
    let held = ""; // what the box for typing held
    let pressed = go; // the control last used, to which the keyboard returns
    const zoomed = document.querySelector(".fw-zoomed");
    const KEY = "fw-game"; // the highest level that this browser has unlocked
    const store = (act) => {
      try { return act(localStorage); } catch { return null; } // a private window may refuse
    };
    let unlocked = Math.max(Number(panel.dataset.level), Math.min(Number(store((kept) => kept.getItem(KEY))) || 0, levels.length - 1));

    let blocks = [];
    const lay = () => {
      field.replaceChildren();
      field.dataset.many = blocksOf(level) > BLOCKS;
      blocks = Array.from({ length: blocksOf(level) }, (_, block) => {
        const made = document.createElement("button");
        made.type = "button";
        made.innerHTML = `<span class="fw-game-name"></span>${'<span class="fw-game-page"></span>'.repeat(PAGES)}`;
        made.addEventListener("click", () => clean(block));
        field.append(made);
        return { made, name: made.firstChild, cells: [...made.querySelectorAll(".fw-game-page")] };
      });
    };
    const cellAt = (slot) => blocks[Math.floor(slot / PAGES)].cells[slot % PAGES];

    const draw = () => {
      const can = choosing ? legal(drive) : [];
      blocks.forEach(({ made, name, cells }, block) => {
        const status = drive.status[block];
        const valid = cells.filter((cell, at) => {
          const slot = block * PAGES + at;
          const used = status === 2 || (status === 1 && slot < drive.slot[drive.streamOf[block]]);
          const page = drive.held[slot];
          const holds = used && drive.map[page] === slot;
          cell.textContent = used ? label(level, page) : "";
          cell.dataset.is = holds ? (kind.get(slot) ?? "live") : used ? "stale" : "free";
          return holds;
        }).length;
        const spare = status === 0 && drive.pool.length <= drive.reserve;
        const open = drive.reserve === 1 ? "open" : drive.streamOf[block] ? "hot" : "cold";
        name.textContent = status === 1 ? open : status === 0 ? (spare ? "kept free" : "free") : `${block + 1}`;
        made.dataset.is = status === 1 ? "open" : status === 0 ? "free" : "full";
        made.disabled = !can.includes(block);
        made.setAttribute("aria-label", `Block ${block + 1}, ${name.textContent === String(block + 1) ? "full" : name.textContent}: ${valid} valid pages: ${cells.filter((cell) => !["stale", "free"].includes(cell.dataset.is)).map((cell) => cell.textContent).join(" ") || "none"}`);
      });
      const coming = waiting.slice(0, 3).map((one) => (one < 0 ? `delete ${label(level, ~one)}` : label(level, one)));
      next.textContent = coming.join("  ");
      const writes = from < 0 ? 0 : drive.writes - from;
      score.textContent = from < 0 ? "The drive fills." : `${drive.copies} copies for ${writes} of ${COUNTED} writes` + (writes ? `: ${(drive.copies / writes).toFixed(2)} for each` : "");
    };
    const fly = (start, cell) => {
      if (still || !start) return;
      const end = cell.getBoundingClientRect();
      cell.animate(
        [{ transform: `translate(${start.left - end.left}px, ${start.top - end.top}px)`, zIndex: 2 }, { transform: "none", zIndex: 2 }],
        { duration: 280, easing: "ease-out" },
      );
    };
    const refill = () => {
      while (waiting.length < 3) waiting.push(deal.next().value);
    };

    // one request; false where the reader must choose first
    const step = () => {
      if (ended) return false;
      const request = waiting[0];
      const shift = () => {
        done.push(waiting.shift());
        if (waiting.typed > 0) waiting.typed--;
      };
      if (request < 0) {
        shift();
        drive.trim(~request);
      } else if (due(drive, streamFor(level, request))) {
        if (from < 0) from = drive.writes;
        if (drive.writes - from >= COUNTED) return end();
        choosing = true;
        told.textContent = "The drive is full. Choose a block to clean: its valid pages move to the open block, then it is erased.";
        draw();
        const { activeElement: active } = document;
        if (panel.contains(active) && active !== typed) blocks.find(({ made }) => !made.disabled)?.made.focus({ preventScroll: true });
        return false;
      } else {
        if (from >= 0 && drive.writes - from >= COUNTED) return end();
        shift();
        kind.forEach((value, slot) => value === "new" && kind.delete(slot));
        const stream = streamFor(level, request);
        const slot = drive.slot[stream];
        kind.set(slot, "new");
        drive.write(request, stream);
        const start = next.getBoundingClientRect();
        draw();
        fly(start, cellAt(slot));
      }
      refill();
      draw();
      return true;
    };
    const clean = (block) => {
      if (!choosing || !legal(drive).includes(block)) return;
      const starts = [];
      for (let slot = block * PAGES; slot < (block + 1) * PAGES; slot++)
        if (drive.map[drive.held[slot]] === slot) starts.push([drive.held[slot], cellAt(slot).getBoundingClientRect()]);
      kind.clear();
      choosing = false;
      drive.clean(block);
      for (const [page] of starts) kind.set(drive.map[page], "copy");
      told.textContent = starts.length ? `Block ${block + 1}: ${starts.length} ${starts.length === 1 ? "page was" : "pages were"} copied, and it is free again.` : `Block ${block + 1} held nothing valid: it is free again at no cost.`;
      if (blocks.some(({ made }) => made === document.activeElement)) pressed.focus({ preventScroll: true }); // the button will be off
      draw();
      for (const [page, start] of starts) fly(start, cellAt(drive.map[page]));
      refill();
      run();
    };
    const run = () => {
      if (timer) return;
      if (go.getAttribute("aria-pressed") !== "true" && !waiting.typed) return;
      const beat = () => {
        timer = 0;
        if (step() && (go.getAttribute("aria-pressed") === "true" || waiting.typed > 0)) timer = setTimeout(beat, Number(part("pace").value));
      };
      timer = setTimeout(beat, still ? 0 : 350);
    };
    const end = () => {
      ended = true;
      pause();
      told.textContent = "Counting what others would have copied …";
      draw();
      setTimeout(weigh, 20, level); // let it be seen
      return false;
    };
    const weigh = (played) => {
      if (!ended || level !== played) return;
      const mine = drive.copies / COUNTED;
      const greedy = play(level, done, emptiest).score;
      const found = Math.min(mine, greedy, best(level, done));
      const all = spread(level);
      const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
      told.textContent =
        `You copied ${mine.toFixed(2)} pages for each write, a write amplification of ${(1 + mine).toFixed(2)}. Always taking the emptiest block: ${greedy.toFixed(2)} here, ` +
        `${mean.toFixed(2)} on average over ${DEALS} deals (nine in ten between ${all[10].toFixed(2)} and ${all[189].toFixed(2)}). ` +
        `Best found by a search that knows all writes: ${found.toFixed(2)}.` +
        (level.streams ? ` With one open block for hot and cold: ${play({ ...level, streams: 1 }, done, emptiest).score.toFixed(2)}.` : "");
      const at = levels.indexOf(level);
      unlocked = Math.max(unlocked, Math.min(at + 1, levels.length - 1));
      store((kept) => kept.setItem(KEY, unlocked));
      offer();
    };
    const offer = () => {
      after.replaceChildren(
        ...levels.map((one, at) => {
          const made = document.createElement("button");
          made.type = "button";
          made.textContent = one.name;
          made.title = one.says;
          made.disabled = at > unlocked;
          made.setAttribute("aria-pressed", one === level);
          made.addEventListener("click", () => begin(at));
          return made;
        }),
      );
      if (!zoomed) return;
      const out = document.createElement("button");
      out.type = "button";
      out.textContent = "Zoom out";
      out.title = "65,536 pages, cleaned by a rule";
      out.addEventListener("click", () => {
        zoomed.hidden = false;
        const map = zoomed.querySelector("canvas");
        map.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
        if (!still) map.animate([{ transform: "scale(20)" }, { transform: "none" }], { duration: 3000, easing: "ease-in-out" });
      });
      after.append(out);
    };
    const pause = () => {
      clearTimeout(timer);
      timer = 0;
      go.setAttribute("aria-pressed", "false");
      go.textContent = "Write on";
    };
    const begin = (at) => {
      level = levels[at];
      drive = blank(level);
      lay();
      deal = dealt(level, 1 + Math.floor(Math.random() * 1e9));
      [waiting, done, from, kind, ended, choosing] = [[], [], -1, new Map(), false, false];
      waiting.typed = 0;
      typed.value = held = "";
      if (level.warm) {
        for (let count = 0; count < level.warm; count++) done.push(deal.next().value);
        drive = ready(level, done);
        from = 0;
      }
      refill();
      pause();
      told.textContent = level.says;
      offer();
      draw();
    };

    go.addEventListener("click", () => {
      pressed = go;
      if (ended) begin(levels.indexOf(level));
      if (go.getAttribute("aria-pressed") === "true") return pause();
      go.setAttribute("aria-pressed", "true");
      go.textContent = "Pause";
      run();
    });
    part("fill").addEventListener("click", ({ currentTarget }) => {
      pressed = currentTarget;
      if (ended) begin(levels.indexOf(level));
      while (!choosing && !ended && step());
    });
    const ask = (requests) => {
      waiting.splice(waiting.typed, 0, ...requests);
      waiting.typed += requests.length;
      draw();
      if (!choosing) run();
    };
    const pagesOf = (text) =>
      [...text.toLowerCase().replaceAll(" ", "_")].map((letter) => LETTERS.indexOf(letter)).filter((page) => page >= 0 && page < (level.hot ?? level.letters));
    // what came into the box is written, what went is deleted, wherever in it
    typed.addEventListener("input", () => {
      const now = typed.value;
      const shared = Math.min(held.length, now.length);
      let start = 0;
      while (start < shared && held[start] === now[start]) start++;
      let end = 0;
      while (end < shared - start && held.at(-1 - end) === now.at(-1 - end)) end++;
      const [gone, come] = [held, now].map((text) => pagesOf(text.slice(start, text.length - end)));
      if (ended) {
        begin(levels.indexOf(level));
        typed.value = now;
      }
      held = now;
      ask([...gone.map((page) => ~page), ...come]);
    });
    panel.addEventListener("keydown", (event) => {
      const block = Number(event.key) - 1;
      if (event.target !== typed && choosing && block in blocks) clean(block);
    });
    begin(Number(panel.dataset.level));
    panel.hidden = false;
  }
})();
