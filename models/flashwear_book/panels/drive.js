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
      this.born = new Float64Array(this.blocks); // pages programmed when it was opened, and written by the host
      this.wrote = new Float64Array(this.blocks);
      this.writes = this.copies = this.erases = this.mapped = 0;
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
      this.wrote[next] = this.writes;
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
      this.erases++;
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

    // closed blocks of which one would be cleaned now, if that won anything
    get next() {
      if (!this.greedy) return [this.closed.items[this.closed.first]].slice(0, this.closed.length);
      const closed = [...this.valid.keys()].filter((block) => this.status[block] === CLOSED);
      const least = Math.min(...closed.map((block) => this.valid[block]));
      return closed.filter((block) => this.valid[block] === least && least < this.pages);
    }

    // blocks from the last opened to the oldest, blank ones first, each with its shares of valid and of programmed
    // pages, what the host had written when it was opened, and its number
    get byAge() {
      const now = this.writes + this.copies;
      const order = Float64Array.from(this.born, (born, block) => (this.status[block] === FREE ? 0 : now - born + 1) * this.blocks + block).sort();
      return Array.from(order, (key) => {
        const block = key % this.blocks;
        if (this.status[block] === FREE) return [0, 0, 0, block];
        const stream = this.streamOf[block];
        const left = block === this.open[stream] ? this.stop[stream] - this.slot[stream] : 0;
        return [(this.valid[block] - left) / this.pages, 1 - left / this.pages, this.wrote[block], block];
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

  // the course of a drive of large blocks that are cleaned in turn (flashwear.wa.transient_mixed): host writes over
  // user pages, and write amplification, each time that 1 / CELLS of the flash has been programmed
  const CELLS = 2000;
  function course(op, hot, filled, longest) {
    const classes = hot === 0.5 ? [[1, 1]] : [[1 - hot, hot], [hot, 1 - hot]]; // shares of the writes and of the pages
    const step = (1 + op) / CELLS;
    // of each cell what the host had written, and the share of each class
    const written = [];
    const held = [];
    for (let at = 0; at < CELLS; at++) {
      const page = (at + 0.5) * step - op; // blank flash comes first
      const past = (border) => Math.min(Math.max((page - border) / step + 0.5, 0), 1); // the part of the cell beyond
      const shares = classes.length === 1 ? [past(0)] : [past(0) - past(hot), past(hot)];
      written.push(0);
      held.push(shares.map((share) => (filled ? share : 0)));
    }
    const found = [];
    let now = 0;
    for (let past = 0; now < longest; past++) {
      const valid = (at) => classes.map(([share, space], which) => held[past][which] * Math.exp((-share / space) * (at - written[past])));
      const rate = (at) => 1 - valid(at).reduce((sum, one) => sum + one, 0);
      const middle = now + (step / 2) * rate(now);
      const pace = rate(middle);
      written.push(middle);
      held.push(valid(middle).map((kept, which) => kept + classes[which][0] * pace));
      found.push([middle, 1 / pace]);
      now += step * pace;
    }
    return found;
  }

  window.flashwearDrive = { Drive, course, seeded };
})();
