// Be the drive: a full drive of a few blocks, in which the reader chooses what is erased. The engine is that of drive.js.
(function () {
  "use strict";
  const { Drive, seeded } = window.flashwearDrive;
  const BLOCKS = 8; // if a level has no number of its own
  const PAGES = 4;
  const ERASES = 12; // of a game
  const DEALS = 200;
  const WIDTH = 300; // states that the search for the best game keeps
  const PACE = 350; // ms from one write to the next
  const SHOWN = 700; // the same before the first choice, if all is shown within LEAD
  const LEAD = 3000;
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

  const blocked = (level, drive, request) => request >= 0 && due(drive, streamFor(level, request));
  const total = (numbers) => numbers.reduce((sum, one) => sum + one, 0);
  const freed = (erased) => PAGES * erased.length - total(erased); // pages, of which each erase copied so many

  // one request, with a chooser of blocks, which is told to `erased`
  function serve(level, drive, request, choose, erased = []) {
    while (blocked(level, drive, request)) {
      const block = choose(drive);
      erased.push(drive.valid[block]);
      drive.clean(block);
    }
    if (request < 0) drive.trim(~request);
    else drive.write(request, streamFor(level, request));
  }
  // a drive that has been in use, up to the first choice; `since` is the request that the last erase made room for
  function ready(level, requests) {
    const drive = blank(level);
    let [next, since] = [0, 0];
    for (; next < level.warm || !blocked(level, drive, requests[next]); next++) {
      if (blocked(level, drive, requests[next])) since = next;
      serve(level, drive, requests[next], emptiest);
    }
    drive.copies = 0;
    return { drive, next, since };
  }

  // serve requests until all erases are used and one more is due
  function play(level, requests, choose) {
    const { drive, next } = ready(level, requests);
    const erased = [];
    const states = [];
    for (const request of requests.slice(next)) {
      if (erased.length >= ERASES && blocked(level, drive, request)) break;
      serve(level, drive, request, choose, erased);
      if (request >= 0) states.push([drive.copies, [...drive.map]]);
    }
    return { erased: erased.slice(0, ERASES), states };
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

  // the erases with the fewest copies that a search finds which knows all requests: no less is proved
  function best(level, requests) {
    let states = [{ ...ready(level, requests), erased: [] }];
    for (let round = 0; round < ERASES; round++) {
      const found = new Map();
      for (const { drive, next, erased } of states)
        for (const block of legal(drive)) {
          const twin = copyOf(drive);
          const state = { drive: twin, next, erased: [...erased, drive.valid[block]] };
          twin.clean(block);
          while (!blocked(level, twin, requests[state.next])) serve(level, twin, requests[state.next++]);
          const key = `${state.next} ${[...twin.map]}`;
          if (!(found.get(key)?.drive.copies <= twin.copies)) found.set(key, state);
        }
      states = [...found.values()].sort((a, b) => a.drive.copies - b.drive.copies).slice(0, WIDTH);
    }
    return states[0].erased;
  }

  const take = (level, seed) => {
    const deal = dealt(level, seed);
    return Array.from({ length: 400 + level.warm }, () => deal.next().value);
  };
  const spread = (level) =>
    Array.from({ length: DEALS }, (_, at) => freed(play(level, take(level, at + 1), emptiest).erased)).sort((a, b) => a - b);

  window.flashwearGame = { best, emptiest, freed, legal, play, ready, spread, streamFor, take };

  // ---- the race: the erases of each player as blocks, of which the copies are no gain ----
  const RACE = { width: 400, row: 54, top: 24, step: 25, cell: 10 };
  function race(rows, about) {
    const { width, row, top, step, cell } = RACE;
    const drawn = rows.map(({ name, erased }, at) => {
      const y = top + at * row;
      const cells = Array.from({ length: ERASES * PAGES }, (_, page) => {
        const [block, place] = [Math.floor(page / PAGES), page % PAGES];
        const fill = block >= erased.length ? "none" : `var(${place < erased[block] ? "--fw-copy" : "--fw-accent"})`;
        return `<rect x="${1 + step * block + (cell + 1) * (place % 2)}" y="${y + 18 + (cell + 1) * (place >> 1)}" width="${cell}" height="${cell}" fill="${fill}" stroke="var(--fw-line)"/>`;
      });
      return (
        `<text x="0" y="${y + 12}">${name}${erased.length ? `: write amplification ${amplified(erased)}` : ""}</text>${cells.join("")}` +
        `<text x="${width}" y="${y + 40}" text-anchor="end" font-size="28" font-weight="bold">${freed(erased)}</text>`
      );
    });
    const words = rows.map(({ name, erased }) => `${name}: ${freed(erased)} pages won by ${erased.length} erases.`).join(" ");
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + rows.length * row}" role="img" aria-label="${words}" fill="var(--fw-ink)" font-size="14">
<text x="0" y="12" font-weight="bold">${about}</text><text x="${width}" y="12" text-anchor="end"><tspan fill="var(--fw-accent)">■</tspan> won <tspan fill="var(--fw-copy)" stroke="var(--fw-line)">■</tspan> copied</text>${drawn.join("")}</svg>`;
  }
  const amplified = (erased) => ((PAGES * erased.length) / freed(erased)).toFixed(2);

  for (const panel of document.querySelectorAll(".fw-game")) {
    const levels = JSON.parse(panel.querySelector("script").textContent);
    const part = (name) => panel.querySelector(`.fw-game-${name}`);
    const [field, next, score, told, rivals, after, typed, again, keep] = ["blocks", "next", "score", "told", "race", "after", "typed", "again", "keep"].map(part);
    let level, requests, at, shown, begun, own, drive, erased, rows, kind, choosing, ended;
    let seen = false;
    let timer = 0;
    let held = ""; // what the box for typing held
    const zoomed = document.querySelector(".fw-zoomed");
    const numbered = part("keys").firstElementChild;

    let blocks = [];
    const lay = () => {
      field.dataset.many = blocksOf(level) > BLOCKS;
      blocks = Array.from({ length: blocksOf(level) }, (_, block) => {
        const made = document.createElement("button");
        made.type = "button";
        made.innerHTML = `<span class="fw-game-name"></span>${'<span class="fw-game-page"></span>'.repeat(PAGES)}`;
        made.addEventListener("click", () => clean(block));
        return { made, name: made.firstChild, cells: [...made.querySelectorAll(".fw-game-page")] };
      });
      field.replaceChildren(...blocks.map(({ made }) => made));
    };
    const cellAt = (slot) => blocks[Math.floor(slot / PAGES)].cells[slot % PAGES];

    const draw = () => {
      const can = choosing ? legal(drive) : [];
      blocks.forEach(({ made, name, cells }, block) => {
        const status = drive.status[block];
        const valid = cells.filter((cell, place) => {
          const slot = block * PAGES + place;
          const used = status === 2 || (status === 1 && slot < drive.slot[drive.streamOf[block]]);
          const page = drive.held[slot];
          const holds = used && drive.map[page] === slot;
          cell.textContent = used ? label(level, page) : "";
          cell.dataset.is = holds ? (kind.get(slot) ?? "live") : used ? "stale" : "free";
          return holds;
        });
        const spare = status === 0 && drive.pool.length <= drive.reserve && blocks.length === BLOCKS;
        const open = drive.reserve === 1 ? "open" : drive.streamOf[block] ? "hot" : "cold";
        name.textContent = status === 1 ? open : status === 0 ? (spare ? "kept free" : "free") : `${block + 1}`;
        made.dataset.is = status === 1 ? "open" : status === 0 ? "free" : "full";
        made.disabled = !can.includes(block);
        made.title = choosing && status === 2 && made.disabled ? "All its pages are valid: nothing to win." : "";
        made.setAttribute("aria-label", `Block ${block + 1}, ${status === 2 ? "full" : name.textContent}: ${valid.length} valid pages: ${valid.map((cell) => cell.textContent).join(" ") || "none"}`);
      });
      next.textContent = requests.slice(at, at + 3).map((one) => (one < 0 ? `delete ${label(level, ~one)}` : label(level, one))).join("  ");
      const left = ERASES - erased.length;
      score.innerHTML = `<b>${left}</b> ${left === 1 ? "erase" : "erases"} left` + (erased.length ? `. ${PAGES * erased.length} pages written for ${freed(erased)} won: write amplification <b>${amplified(erased)}</b>` : "");
      rivals.innerHTML = race(rows, "Pages won by twelve erases");
    };
    const fly = (start, cell) => {
      if (still) return;
      const end = cell.getBoundingClientRect();
      cell.animate(
        [{ transform: `translate(${start.left - end.left}px, ${start.top - end.top}px)`, zIndex: 2 }, { transform: "none", zIndex: 2 }],
        { duration: 280, easing: "ease-out" },
      );
    };

    // one request; false where the reader must choose first
    const step = () => {
      const request = requests[at];
      if (blocked(level, drive, request)) {
        if (at < begun) return erase(emptiest(drive)); // so that it has been seen once
        choosing = true;
        if (!erased.length) told.textContent = `${level.says} Your turn: click a block with a coloured frame. Its valid pages are copied, then it is erased; the rest is won. Win more than the rule “always the emptiest”.`;
        draw();
        if (document.activeElement === field) blocks.find(({ made }) => !made.disabled).made.focus({ preventScroll: true });
        return false;
      }
      at++;
      if (own) own--;
      if (request < 0) drive.trim(~request);
      else {
        kind.forEach((value, slot) => value === "new" && kind.delete(slot));
        const stream = streamFor(level, request);
        const slot = drive.slot[stream];
        kind.set(slot, "new");
        drive.write(request, stream);
        fly(next.getBoundingClientRect(), cellAt(slot));
      }
      draw();
      return true;
    };
    const run = () => {
      if (!timer && seen && !choosing && !ended) timer = setTimeout(() => { timer = 0; if (step()) run(); }, still ? 0 : at < begun ? Math.min(SHOWN, LEAD / (begun - shown)) : PACE);
    };
    // clean a block and let it be seen; the pages that were copied
    const erase = (block) => {
      const starts = [];
      for (let slot = block * PAGES; slot < (block + 1) * PAGES; slot++)
        if (drive.map[drive.held[slot]] === slot) starts.push([drive.held[slot], cellAt(slot).getBoundingClientRect()]);
      kind.clear();
      drive.clean(block);
      for (const [page] of starts) kind.set(drive.map[page], "copy");
      draw();
      for (const [page, start] of starts) fly(start, cellAt(drive.map[page]));
      return starts;
    };
    const clean = (block) => {
      if (!choosing || !legal(drive).includes(block)) return;
      choosing = false;
      if (field.contains(document.activeElement)) field.focus({ preventScroll: true }); // the button will be off
      const copied = drive.valid[block];
      erased.push(copied);
      ended = erased.length === ERASES;
      rows[1].erased = play(level, requests, emptiest).erased.slice(0, erased.length);
      const pages = (count) => `${count} ${count === 1 ? "page" : "pages"}`;
      told.textContent = copied ? `Block ${block + 1}: ${pages(copied)} copied, ${pages(PAGES - copied)} won for writes.` : `Block ${block + 1} held nothing valid: all of it is won, at no cost.`;
      told.textContent += ended ? " Counting what others would have won …" : " Choose again.";
      erase(block);
      if (ended) setTimeout(weigh, 20, erased); // let it be seen
      run();
    };
    const weigh = (mine) => {
      if (mine !== erased) return; // another game has begun
      const rule = play(level, requests, emptiest).erased;
      const found = [best(level, requests), rule, mine].reduce((one, two) => (freed(two) > freed(one) ? two : one));
      rows = [{ name: "You", erased: mine }, { name: "Always the emptiest", erased: rule }, { name: "One who knows all that comes", erased: found }];
      if (level.streams) rows.push({ name: "The rule with one open block for both", erased: play({ ...level, streams: 1 }, requests, emptiest).erased });
      const following = levels[levels.indexOf(level) + 1];
      const all = spread(level);
      const more = freed(mine) - freed(rule);
      told.textContent =
        `Flash wears out by erases. Twelve of yours gave room for ${freed(mine)} writes: ` +
        (more > 0 ? `${more} more than if you had always taken the emptiest block. ` : more < 0 ? `${-more} fewer than if you had always taken the emptiest block. ` : "as many as if you had always taken the emptiest block. ") +
        `That rule wins ${(total(all) / DEALS).toFixed(1)} on average, mostly ${all[10]} to ${all[189]}.` +
        (following ? ` Next: ${following.name}.` : "");
      keep.hidden = false;
      draw();
    };
    const offer = () => {
      after.replaceChildren(
        ...levels.map((one, number) => {
          const made = document.createElement("button");
          made.type = "button";
          made.textContent = one.name;
          made.setAttribute("aria-pressed", one === level);
          made.addEventListener("click", () => {
            begin(number);
            after.children[number].focus({ preventScroll: true });
          });
          return made;
        }),
      );
      if (!zoomed) return;
      const out = document.createElement("button");
      out.type = "button";
      out.textContent = "Zoom out";
      out.title = "65,536 pages, cleaned by a rule";
      out.addEventListener("click", () => {
        const shown = !zoomed.hidden;
        zoomed.hidden = false;
        const map = zoomed.querySelector("canvas");
        map.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
        if (shown) return;
        const away = map.animate([{ transform: "scale(20)" }, { transform: "none" }], { duration: still ? 0 : 2000, easing: "ease-in-out" });
        away.finished.then(() => zoomed.querySelector("[type=submit]").click()); // now that all is in sight
      });
      after.append(out);
    };
    const begin = (number) => {
      clearTimeout(timer);
      timer = 0;
      level = levels[number];
      requests = take(level, 1 + Math.floor(Math.random() * 1e9));
      const first = ready(level, requests);
      [at, shown, begun] = [first.since, first.since, first.next];
      drive = blank(level);
      for (const request of requests.slice(0, at)) serve(level, drive, request, emptiest);
      [own, erased, kind, choosing, ended] = [0, [], new Map(), false, false];
      rows = [{ name: "You", erased }, { name: "Always the emptiest", erased: [] }];
      numbered.hidden = blocksOf(level) > BLOCKS;
      typed.value = held = "";
      keep.hidden = true;
      told.textContent = level.says;
      lay();
      offer();
      draw();
      run();
    };

    again.addEventListener("click", () => begin(levels.indexOf(level)));
    keep.addEventListener("click", () => {
      const image = new Image();
      const colours = getComputedStyle(panel);
      const svg = race(rows, `Flash Wear, “${level.name}”: pages won by twelve erases`).replace(/var\((--[\w-]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
      image.addEventListener("load", () => {
        const canvas = document.createElement("canvas");
        const edge = 60;
        canvas.width = 3 * RACE.width + 2 * edge;
        canvas.height = 3 * (RACE.top + rows.length * RACE.row) + 2 * edge;
        const paint = canvas.getContext("2d");
        paint.fillStyle = colours.getPropertyValue("--fw-paper");
        paint.fillRect(0, 0, canvas.width, canvas.height);
        paint.drawImage(image, edge, edge, canvas.width - 2 * edge, canvas.height - 2 * edge);
        const link = document.createElement("a");
        link.download = "be-the-drive.png";
        link.href = canvas.toDataURL();
        link.click();
      });
      image.src = `data:image/svg+xml,${encodeURIComponent(svg.replace("<svg ", '<svg font-family="sans-serif" width="1200" '))}`;
    });
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
      requests.splice(at + own, 0, ...gone.map((page) => ~page), ...come);
      own += gone.length + come.length;
      draw();
      run();
    });
    // keys choose where nothing else has the keyboard
    document.addEventListener("keydown", (event) => {
      const { key, target } = event;
      if (target !== document.body && !(panel.contains(target) && target !== typed)) return;
      const { top, bottom } = field.getBoundingClientRect();
      if (event.ctrlKey || event.altKey || event.metaKey || bottom < 0 || top > innerHeight) return;
      if (/^[1-8]$/.test(key) && !numbered.hidden) return clean(key - 1);
      const way = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!way || !choosing) return;
      event.preventDefault();
      const can = legal(drive);
      const from = can.indexOf(blocks.findIndex(({ made }) => made === target));
      blocks[can.at((Math.max(from, way < 0 ? 0 : -1) + way) % can.length)].made.focus();
    });
    panel.hidden = false;
    begin(Number(panel.dataset.level));
    new IntersectionObserver(
      (entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen = true;
        observer.disconnect();
        run();
      },
      { threshold: 0.3 },
    ).observe(field);
  }
})();
