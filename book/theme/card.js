// How the card of My drive is drawn: bars, drives in bins, and the picture to post. Colours are those
// of paper; in the page each class has its own.
(function () {
  "use strict";
  const WIDTH = 400;
  const FILLS = { track: "#dfe2e6", bin: "#a8b0ba", line: "#6b7480", filled: "#0a58a8", mine: "#a84300", ink: "#22262a" };
  const TICKS = { waf: [1, 2, 4, 8], dwpd: [0.001, 0.01, 0.1, 1], used: [1, 4, 16, 64] };
  const LABELS = { waf: (tick) => `${tick}×`, dwpd: (tick) => `${100 * tick} %`, used: (tick) => `${tick} %` };
  const YEARS = [0.1, 1000]; // ends of an axis
  const POSTED = [1200, 630]; // pixels of a picture beside a link
  const LEVELS = ["#2f7d3b", "#b26a00", "#b3261e", "#6b7480"]; // of a verdict, as its status

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

  // all drives in bins
  function columns(bins) {
    const most = Math.max(...bins.map(([, , count]) => count));
    const step = WIDTH / bins.length;
    const svg = bins.map(([, , count], at) => box("bin", at * step, 30 - (28 * count) / most, step - 1, (28 * count) / most)).join("");
    return svg + box("line", 0, 30, WIDTH, 1);
  }
  const ticks = ({ quantity, bins }, y, size) =>
    TICKS[quantity].map((tick) => `<text ${kind("ink")} x="${(WIDTH * place(bins, tick)).toFixed(1)}" y="${y}" font-size="${size}" text-anchor="middle">${LABELS[quantity](tick)}</text>`).join("");
  const spread = (among) => ({ svg: `${columns(among.bins)}${ticks(among, 39, 7)}<circle ${kind("mine")} cx="${(WIDTH * place(among.bins, among.value)).toFixed(1)}" cy="30" r="4"/>` });

  // and one of them as a dot, and under it the band of its line
  function field({ quantity, bins, value }, line) {
    const x = (of) => WIDTH * place(bins, of);
    let svg = columns(bins);
    svg += ticks({ quantity, bins }, 48, 12);
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
    return lines.filter(Boolean);
  }

  // the card as a picture to post: whose drive, one sentence, one bar, the drive among all, one advice
  function picture({ title, level, verdict, sentence, used, life, among, source }) {
    const [width, height] = POSTED;
    const parts = [];
    let y = 0;
    const say = (text, size, most, more = "") => {
      for (const line of wrapped(text, most)) parts.push(`<text x="70" y="${(y += 1.25 * size)}" font-size="${size}" ${more}>${escaped(line)}</text>`);
    };
    const put = (one, high, times) => {
      parts.push(`<g transform="translate(70 ${y}) scale(${(width - 140) / WIDTH} ${times})">${one.svg}</g>`);
      y += high;
    };
    parts.push(`<rect width="100%" height="100%" fill="#fff"/><rect width="100%" height="18" fill="${LEVELS[level]}"/>`);
    y = 36;
    say(title, 26, 60, `fill="${FILLS.line}"`);
    y += 10;
    say(sentence, sentence.length > 100 ? 38 : 46, sentence.length > 100 ? 56 : 46, 'font-weight="bold"');
    y += 24;
    if (life) {
      put(bar(used), 22, 2.2);
      say(life, 24, 90);
      y += 22;
    }
    if (among) {
      put(spread(among), 108, (width - 140) / WIDTH);
      say(`Dot: this drive, by ${among.name}: above about ${Math.round(100 * among.below)} % of ${among.drives.toLocaleString("en")} others, who are counted by the bars`, 20, 110, `fill="${FILLS.line}"`);
    }
    y = Math.max(y + 10, height - 136);
    say(verdict, 26, 84);
    y = height - 54;
    say(source, 16, 150, `fill="${FILLS.line}"`);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Arial, sans-serif" fill="${FILLS.ink}">${parts.join("")}</svg>`;
  }

  // a drawing as a file of dots, which every site takes
  function saved(svg, name) {
    const image = new Image();
    image.onload = () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      canvas.getContext("2d").drawImage(image, 0, 0);
      Object.assign(document.createElement("a"), { download: name, href: canvas.toDataURL() }).click();
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }

  const inPage = ({ svg, height }) => `<svg viewBox="-6 0 ${WIDTH + 12} ${height}" preserveAspectRatio="none">${svg}</svg>`;
  window.flashwearCard = { bars, drawn, inPage, picture, saved };
})();
