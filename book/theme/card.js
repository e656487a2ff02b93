// How the card of My drive is drawn: bars, drives in bins, and the card as a file. Colours are those
// of paper; in the page each class has its own.
(function () {
  "use strict";
  const WIDTH = 400;
  const FILLS = { track: "#dfe2e6", bin: "#a8b0ba", line: "#6b7480", filled: "#0a58a8", mine: "#a84300", ink: "#22262a" };
  const TICKS = { waf: [1, 2, 4, 8], dwpd: [0.001, 0.01, 0.1, 1], used: [1, 4, 16, 64] };
  const LABELS = { waf: (tick) => `${tick}×`, dwpd: (tick) => `${100 * tick} %`, used: (tick) => `${tick} %` };
  const YEARS = [0.1, 1000]; // ends of an axis
  const LETTERS = 60; // of a line of the file beside a label

  const kind = (name) => `class="fw-${name}" fill="${FILLS[name]}"`;
  const box = (name, x, y, width, height, round = 0) =>
    `<rect ${kind(name)} x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="${round}"/>`;

  // a share of a whole, which may be full
  function bar(share, name = share >= 0.9 ? "mine" : "filled") {
    return { height: 10, svg: box("track", 0, 0, WIDTH, 10, 3) + box(name, 0, 0, WIDTH * Math.min(share, 1), 10, 3) };
  }

  // values on one logarithmic axis from 1: the first is the reader's
  function bars(values) {
    const most = Math.log(Math.max(2, ...values));
    return values.map((value, at) => bar(Math.log(Math.max(1, value)) / most, at ? "line" : "mine"));
  }

  // where a value lies on an axis of bins of one width, from 0 to 1; the last bin has no end
  function place(bins, value) {
    const at = bins.findIndex(([, high]) => high === null || value < high);
    const [low, high] = bins[at];
    return (at + (high === null ? 0.5 : (value - low) / (high - low))) / bins.length;
  }

  // all drives in bins, one of them as a dot, and under it the band of its line
  function field({ quantity, bins, value }, line) {
    const x = (of) => WIDTH * place(bins, of);
    const most = Math.max(...bins.map(([, , count]) => count));
    const step = WIDTH / bins.length;
    let svg = bins.map(([, , count], at) => box("bin", at * step, 30 - (28 * count) / most, step - 1, (28 * count) / most)).join("");
    svg += box("line", 0, 30, WIDTH, 1);
    for (const tick of TICKS[quantity]) svg += `<text ${kind("ink")} x="${x(tick).toFixed(1)}" y="48" font-size="12" text-anchor="middle">${LABELS[quantity](tick)}</text>`;
    if (line) svg += box("bin", x(line.p10), 54, Math.max(3, x(line.p90) - x(line.p10)), 6, 3) + box("line", x(line.p50) - 1, 51, 2, 12);
    svg += `<circle ${kind("mine")} cx="${x(value).toFixed(1)}" cy="30" r="5.5"/>`;
    return { height: line ? 64 : 52, svg };
  }

  // years on a logarithmic axis: a band by wear, a line by the rating
  function years({ rating, wear }) {
    const x = (of) => (WIDTH * (Math.log10(Math.min(Math.max(of, YEARS[0]), YEARS[1])) - Math.log10(YEARS[0]))) / Math.log10(YEARS[1] / YEARS[0]);
    let svg = box("track", 0, 2, WIDTH, 8, 3);
    if (wear) svg += box("filled", x(wear[0]), 2, Math.max(3, x(wear[1] ?? YEARS[1]) - x(wear[0])), 8, 3);
    if (rating !== null) svg += box("mine", x(rating) - 1.5, 0, 3, 12);
    for (const tick of [1, 10, 100]) svg += `<text ${kind("ink")} x="${x(tick).toFixed(1)}" y="24" font-size="12" text-anchor="middle">${tick === 1 ? "1 year" : `${tick} years`}</text>`;
    return { height: 28, svg };
  }

  function drawn(row) {
    if (row.bar !== undefined) return bar(row.bar);
    if (row.years) return years(row.years);
    return row.field ? field(row.field, row.line) : null;
  }
  const escaped = (text) => text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);

  function wrapped(text, most) {
    const lines = [""];
    for (const word of text.split(/\s+/).flatMap((one) => one.match(new RegExp(`.{1,${most}}`, "g")) ?? [])) {
      if (`${lines.at(-1)} ${word}`.length > most) lines.push(word);
      else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
    }
    return lines;
  }

  // the card as a file of its own: a title, sentences over all, rows, and whose the numbers are
  function picture(title, sentences, rows, source) {
    let y = 14;
    const parts = [];
    const say = (text, x, most, more = 'font-size="14"') =>
      wrapped(text, most).forEach((line) => parts.push(`<text x="${x}" y="${(y += 19)}" ${more}>${escaped(line)}</text>`));
    say(title, 20, 56, 'font-size="18" font-weight="bold"');
    for (const sentence of sentences) say(sentence, 20, 84);
    for (const row of rows) {
      y += 10;
      const top = y;
      say(row.label, 20, 20, 'font-size="14" font-weight="bold"');
      const under = y;
      y = top;
      const put = (one, width) => parts.push(`<g transform="translate(180 ${y + 9}) scale(${width / WIDTH} 1)">${one.svg}</g>`);
      if (row.parts)
        bars(row.parts.map((part) => part.value)).forEach((one, at) => {
          put(one, 120);
          say(row.parts[at].words, 310, LETTERS - 18);
        });
      const one = drawn(row);
      if (one) {
        put(one, WIDTH);
        y += one.height + 4;
      }
      if (row.words) say(row.words, 180, LETTERS);
      y = Math.max(y, under);
    }
    y += 10;
    if (source) say(source, 20, 98, 'font-size="12"');
    return `<svg xmlns="http://www.w3.org/2000/svg" width="620" height="${y + 20}" font-family="Arial, sans-serif" fill="${FILLS.ink}"><rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
  }

  const inPage = ({ svg, height }) => `<svg viewBox="-6 0 ${WIDTH + 12} ${height}" preserveAspectRatio="none">${svg}</svg>`;
  window.flashwearCard = { bars, drawn, inPage, picture };
})();
