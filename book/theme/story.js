// The answer of My drive as a card: what the command says with --json, drawn. No figure is computed
// here but years at another load, and nothing leaves the page.
(function () {
  "use strict";
  const LEAST_USED = 5; // per cent of life, and hours: with less, no years
  const LEAST_HOURS = 1000;
  const FACTORS = [0.25, 0.5, 1, 2, 4];
  const NAMES = { waf: "Write amplification", dwpd: "Drive writes a day", used: "Life used (%)" };

  const short = (value) => Number(value.toPrecision(value < 10 ? 2 : 3)).toLocaleString("en");
  const years = (value) => `${value < 10 ? short(value) : Math.round(value).toLocaleString("en")} years`;
  const tb = (bytes) => `${short(bytes / 1e12)} TB`;
  const range = (low, high) => (high === null ? `${years(low)} or more` : years(low) === years(high) ? years(low) : `${years(low).replace(" years", "")} to ${years(high)}`);

  // what the card says: rows of a label, words, a chapter, and a bar from 0 to 1 or a dot in a band
  function rows(drive, facts, factor) {
    const { report, forecast, rated_bytes: rated, among } = drive;
    const found = [];
    const used = report.percent_used;
    const written = report.host_bytes_written;
    if (used !== null) found.push({ label: "Life used", words: `${short(used)} %`, chapter: "promise", bar: used / 100 });
    if (written !== null && rated) found.push({ label: "Rating used", words: `${tb(written)} of ${tb(rated)}`, chapter: "budget", bar: written / rated });
    const hours = report.power_on_hours;
    if (hours === null || hours < LEAST_HOURS || (used !== null && used < LEAST_USED))
      found.push({ label: "Years left", words: `Too early to say: years need ${LEAST_USED} % of life used and ${LEAST_HOURS.toLocaleString("en")} hours under power.`, chapter: "budget" });
    else {
      const parts = [];
      if (forecast.rating !== null) parts.push(forecast.rating ? `${years(forecast.rating / factor)} by its rating` : "none by its rating");
      if (forecast.wear !== null) {
        const [low, high] = forecast.wear.map((one) => (one === null ? null : one / factor));
        parts.push(high === 0 ? "none by wear" : `${range(low, high)} by wear`);
      }
      const load = written ? ` at ${short(((written / hours) * 24 * factor) / 1e9)} GB a day` : "";
      found.push({ label: "Years left", words: parts.length ? `${parts.join(", ")}, under power${load}` : forecast.wear_unknown ?? forecast.rating_unknown ?? "not known", chapter: "budget" });
    }
    const line = among.find((one) => one.quantity === "waf");
    if (report.waf !== null) {
      const others = line ? `; the median of its line is ${short(line.p50)}` : "";
      found.push({ label: "Written to flash", words: `${short(report.waf)} bytes for each of yours${others}. Random writes over a full drive with ${facts.spare} of spare flash cost ${facts.full}.${report.waf > 1.2 * facts.full ? " Yours is more than they explain." : ""}`, chapter: "amplification" });
    }
    for (const one of among)
      found.push({
        label: NAMES[one.quantity],
        words: `${short(one.value)}, among ${one.drives.toLocaleString("en")} ${one.line} drives whose owners sent reports: median ${short(one.p50)}, eight in ten from ${short(one.p10)} to ${short(one.p90)}`,
        chapter: "field",
        band: one,
      });
    if (report.waf === null || report.waf > 1.5)
      found.push({ label: "What would help", words: `Leave a fifth of the drive empty: ${facts.fifth} instead of ${facts.full} for random writes over the rest, if TRIM reaches the drive (LUKS, RAID and USB cases often block it).`, chapter: "trim" });
    return found;
  }

  // where a value of a band stands: logarithmic, from half the lowest to twice the highest
  function placed(band) {
    const all = [band.p10, band.p50, band.p90, band.value].map((one) => Math.max(one, 1e-3));
    const [low, high] = [Math.min(...all) / 2, Math.max(...all) * 2];
    return all.map((one) => Math.log(one / low) / Math.log(high / low));
  }

  const element = (name, text = "", attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const escaped = (text) => text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);

  function drawn(row, width, y = 0) {
    if (row.bar !== undefined)
      return `<rect y="${y}" width="${width}" height="10" rx="3" fill="#dfe2e6"/><rect y="${y}" width="${(width * Math.min(row.bar, 1)).toFixed(1)}" height="10" rx="3" fill="${row.bar >= 0.9 ? "#a84300" : "#0a58a8"}"/>`;
    const [low, middle, high, own] = placed(row.band).map((one) => (one * width).toFixed(1));
    return `<rect x="${low}" y="${y + 2}" width="${(high - low).toFixed(1)}" height="6" rx="3" fill="#a8b0ba"/><rect x="${middle - 1}" y="${y - 1}" width="2" height="12" fill="#6b7480"/><circle cx="${own}" cy="${y + 5}" r="5.5" fill="#a84300"/>`;
  }

  // the card as a file of its own
  function picture(title, verdict, list) {
    const wrap = (text, most) => text.split(" ").reduce((lines, word) => {
      if (`${lines.at(-1)} ${word}`.length > most) lines.push(word);
      else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
      return lines;
    }, [""]);
    let y = 30;
    const parts = [`<text x="20" y="${y}" font-size="18" font-weight="bold">${escaped(title)}</text>`];
    const say = (text, x, most) => wrap(text, most).forEach((line) => parts.push(`<text x="${x}" y="${(y += 19)}" font-size="14">${escaped(line)}</text>`));
    say(verdict, 20, 84);
    for (const row of list) {
      y += 12;
      parts.push(`<text x="20" y="${y + 19}" font-size="14" font-weight="bold">${escaped(row.label)}</text>`);
      if (row.bar !== undefined || row.band) parts.push(`<g transform="translate(180 ${(y += 8)})">${drawn(row, 400)}</g>`);
      say(row.words, 180, 60);
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" width="620" height="${y + 20}" font-family="Arial, sans-serif" fill="#22262a"><rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
  }

  window.flashwearStory = function (told, place, facts) {
    place.replaceChildren();
    const drive = told.drives[0];
    if (!drive || drive.report.kind === null) return false;
    const { report } = drive;
    const title = report.model ?? "Your drive";
    const verdict = drive.text.replace(/^no problem found: /, "").replace(/^./, (first) => first.toUpperCase());
    let factor = 1;
    const list = element("dl");
    const show = () =>
      list.replaceChildren(
        ...rows(drive, facts, factor).flatMap((row) => {
          const label = element("dt");
          label.append(element("a", row.label, { href: facts.chapters[row.chapter] }));
          const words = element("dd", row.words);
          if (row.bar !== undefined || row.band) {
            const svg = element("span", "", { "aria-hidden": "true" });
            svg.innerHTML = `<svg viewBox="0 -2 406 14">${drawn(row, 400)}</svg>`;
            words.prepend(svg);
          }
          return [label, words];
        }),
      );
    show();
    const load = element("select");
    for (const one of FACTORS) load.append(new Option(one === 1 ? "as until now" : `${one} times as much`, one, one === 1, one === 1));
    load.addEventListener("change", () => {
      factor = Number(load.value);
      show();
    });
    const what = element("label", "Writes from now on: ");
    what.append(load);
    const save = element("button", "Save the card as a picture", { type: "button" });
    save.addEventListener("click", () => {
      const link = element("a", "", { download: "my-drive.svg" });
      link.href = URL.createObjectURL(new Blob([picture(title, verdict, rows(drive, facts, factor))], { type: "image/svg+xml" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    });
    const below = element("p");
    below.append(what, " ", save);
    place.append(element("h3", title), element("p", verdict), list, below);
    return true;
  };
})();
