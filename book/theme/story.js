// The answer of My drive as a card: what the command says with --json, drawn. No figure is computed
// here but what another load, a fifth left empty or another rating makes of its years, and nothing
// leaves the page.
(function () {
  "use strict";
  const LEAST_USED = 5; // per cent of life, and hours: with less, no years
  const LEAST_HOURS = 1000;
  const FACTORS = [0.25, 0.5, 1, 2, 4];
  const NAMES = { waf: "Write amplification", dwpd: "Drive writes a day", used: "Life used (%)" };
  const OTHERS = "drives whose owners sent reports";
  const SOURCE = "Other drives: reports of Linux users, linux-hardware.org, CC BY 4.0.";

  const short = (value) => Number(value.toPrecision(value < 10 ? 2 : 3)).toLocaleString("en");
  const years = (value) => `${value < 10 ? short(value) : Math.round(value).toLocaleString("en")} years`;
  const size = (bytes) => (bytes < 1e12 ? `${short(bytes / 1e9)} GB` : `${short(bytes / 1e12)} TB`);
  const range = (low, high) => (high === null ? `${years(low)} or more` : years(low) === years(high) ? years(low) : `${years(low).replace(" years", "")} to ${years(high)}`);
  const times = (ends, factor) => ends && ends.map((one) => (one === null ? null : one * factor));

  function left(forecast) {
    const parts = [];
    if (forecast.rating !== null) parts.push(forecast.rating ? `${years(forecast.rating)} by its rating` : "none by its rating");
    if (forecast.wear) parts.push(forecast.wear[1] === 0 ? "none by wear" : `${range(...forecast.wear)} by wear`);
    return parts.length ? `${parts.join(", ")}, under power` : (forecast.wear_unknown ?? forecast.rating_unknown ?? "not known");
  }

  // what the card says: rows of a label, words, a chapter, and what is drawn
  function rows(drive, facts, what) {
    const { report, forecast, rated_bytes: rated, among, between } = drive;
    const found = [];
    const add = (label, words, chapter, drawn) => found.push({ label, words, chapter, ...drawn });
    const used = report.percent_used;
    const written = report.host_bytes_written;
    const hours = report.power_on_hours;
    if (used !== null) add("Life used", `${short(used)} %`, "promise", { bar: used / 100 });
    if (written !== null && rated) add("Rating used", `${size(written)} of ${size(rated)}`, "budget", { bar: written / rated });
    const daily = written && hours ? (written / hours) * 24 : null;
    const young = hours === null || hours < LEAST_HOURS || (used !== null && used < LEAST_USED);
    const helped = what.fifth ? Math.min(report.waf, facts.full / facts.fifth) : 1;
    const load = what.gb === undefined ? daily && daily * what.factor : what.gb * 1e9;
    if (young) add("Years left", `Too early to say: years need ${LEAST_USED} % of life used and ${LEAST_HOURS.toLocaleString("en")} hours under power.`, "budget");
    else {
      const slower = daily && load ? daily / load : 1;
      const rating = forecast.rating === null ? null : forecast.rating * slower;
      const words = left({ ...forecast, rating, wear: times(forecast.wear, slower * helped) });
      add("Years left", `${words}${load ? ` at ${size(load)} a day` : ""}${what.fifth ? ", a fifth left empty" : ""}`, "budget");
    }
    if (what.tbw && load) add("Another drive", `A new one, rated for ${short(what.tbw)} TB, is promised ${years((what.tbw * 1e12) / load / 365)} at ${size(load)} a day.`, "budget");
    if (between) {
      const parts = [`${between.hours.toLocaleString("en")} hours under power`];
      if (between.seconds !== null) parts[0] += ` in ${short(between.seconds / 86400)} days`;
      if (between.host_bytes !== null) parts.push(`${size(between.host_bytes)} written, ${size((between.host_bytes * 24) / between.hours)} a day`);
      if (between.waf !== null) parts.push(`${short(between.waf)} bytes of flash for each of yours`);
      if (between.percent !== null) parts.push(`${between.percent} % of life used`);
      add("Between the reports", `${parts.join("; ")}. At that rate: ${left(between.forecast)}.`, "budget");
    } else if (drive.not_compared) add("Not compared", drive.not_compared, "field");
    const line = among.find((one) => one.quantity === "waf");
    if (report.waf !== null) {
      const median = line ? `; the median of ${line.drives.toLocaleString("en")} ${line.line} ${OTHERS} (grey line) is ${short(line.p50)}, eight in ten from ${short(line.p10)} to ${short(line.p90)}` : "";
      const more = report.waf > 1.2 * facts.full ? " Yours is more than they explain." : "";
      const own = `${short(report.waf)} bytes for each of yours (dot)`;
      add("Written to flash", `${own}${median}. Random writes over a full drive with ${facts.spare} of spare flash (blue line) cost ${facts.full}.${more}`, "amplification", {
        band: { value: report.waf, p10: line?.p10, p50: line?.p50, p90: line?.p90, formula: facts.full },
      });
    }
    for (const one of among)
      if (one.quantity !== "waf")
        add(NAMES[one.quantity], `${short(one.value)}, among ${one.drives.toLocaleString("en")} ${one.line} ${OTHERS}: median ${short(one.p50)}, eight in ten from ${short(one.p10)} to ${short(one.p90)}`, "field", { band: one });
    const bins = facts.bins[report.kind];
    const mine = bins && used !== null ? bins.find(([low, high]) => low <= used && used < high) : null;
    if (mine) {
      const all = bins.reduce((sum, [, , drives]) => sum + drives, 0);
      add("Among all drives", `${mine[0]} to ${mine[1]} % of life used, like ${mine[2].toLocaleString("en")} of ${all.toLocaleString("en")} ${facts.kinds[report.kind]} ${OTHERS}`, "field", { bins, mine });
    }
    if (report.waf === null || report.waf > 1.5)
      add("What would help", `Leave a fifth of the drive empty: ${facts.fifth} instead of ${facts.full} for random writes over the rest, if TRIM reaches the drive (LUKS, RAID and USB cases often block it).`, "trim");
    return found;
  }

  const high = (row) => (row.bins ? 38 : 14);
  const box = (x, y, width, height, fill, more = "") => `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${fill}" ${more}/>`;

  function drawn(row, width, y = 0) {
    if (row.bar !== undefined) {
      const share = Math.min(row.bar, 1);
      return box(0, y, width, 10, "#dfe2e6", 'rx="3"') + box(0, y, width * share, 10, share >= 0.9 ? "#a84300" : "#0a58a8", 'rx="3"');
    }
    if (row.bins) {
      const wide = width / row.bins.length;
      return row.bins
        .map((bin, at) => {
          const [low, high, drives] = bin;
          const text = (dy, words) => `<text x="${(wide * (at + 0.5)).toFixed(1)}" y="${y + dy}" font-size="12" text-anchor="middle" fill="#22262a">${words}</text>`;
          const own = bin === row.mine ? 'stroke="#a84300" stroke-width="3"' : 'stroke="#6b7480"';
          return box(wide * at + 1.5, y, wide - 3, 34, "#f2f4f6", own) + text(14, drives.toLocaleString("en")) + text(29, `${low}-${high} %`);
        })
        .join("");
    }
    const { band } = row; // logarithmic, from half the lowest to twice the highest
    const all = ["p10", "p50", "p90", "value", "formula"].map((name) => band[name]);
    const known = all.filter((one) => one !== undefined).map((one) => Math.max(one, 1e-3));
    const [least, most] = [Math.min(...known) / 2, Math.max(...known) * 2];
    const [low, middle, top, own, formula] = all.map((one) => (one === undefined ? null : (width * Math.log(Math.max(one, 1e-3) / least)) / Math.log(most / least)));
    let marks = box(0, y + 4, width, 2, "#dfe2e6");
    if (low !== null) marks += box(low, y + 2, top - low, 6, "#a8b0ba", 'rx="3"') + box(middle - 1, y - 1, 2, 12, "#6b7480");
    if (formula !== null) marks += box(formula - 1, y - 1, 2, 12, "#0a58a8");
    return `${marks}<circle cx="${own.toFixed(1)}" cy="${y + 5}" r="5.5" fill="#a84300"/>`;
  }

  const element = (name, text = "", attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const escaped = (text) => text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);

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
      if (row.bar !== undefined || row.band || row.bins) {
        parts.push(`<g transform="translate(180 ${(y += 8)})">${drawn(row, 400)}</g>`);
        y += high(row) - 14;
      }
      say(row.words, 180, 60);
    }
    y += 12;
    say(SOURCE, 20, 84);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="620" height="${y + 20}" font-family="Arial, sans-serif" fill="#22262a"><rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
  }

  // what could change: another load, a fifth left empty, another drive
  function whatIfs(drive, facts, what, show) {
    const load = element("select");
    const group = (label, options) => {
      const made = element("optgroup", "", { label });
      made.append(...options);
      return made;
    };
    load.append(
      group("By this drive", FACTORS.map((one) => new Option(one === 1 ? "as until now" : `${one} times as much`, one, one === 1, one === 1))),
      group("Loads of the list below", Object.entries(facts.loads).map(([name, gb]) => new Option(`${name}: ${size(gb * 1e9)} a day`, `gb ${gb}`))),
    );
    load.addEventListener("change", () => {
      const named = load.value.startsWith("gb ");
      what.gb = named ? Number(load.value.slice(3)) : undefined;
      what.factor = named ? 1 : Number(load.value);
      show();
    });
    const asked = (words, control) => {
      const made = element("label", words);
      made.append(control);
      return made;
    };
    const found = [asked("Writes from now on: ", load)];
    if (drive.report.waf > 1.5 && drive.forecast.wear) {
      const fifth = element("input", "", { type: "checkbox" });
      fifth.addEventListener("change", () => {
        what.fifth = fifth.checked;
        show();
      });
      found.push(asked("A fifth left empty, if TRIM arrives and the writes are random ", fifth));
    }
    const other = element("input", "", { type: "number", min: 1, max: 1e6, step: "any", inputmode: "decimal" });
    other.addEventListener("input", () => {
      what.tbw = other.validity.valid && other.valueAsNumber > 0 ? other.valueAsNumber : undefined;
      show();
    });
    return [...found, asked("Another drive, rated for (TB): ", other)];
  }

  window.flashwearStory = function (told, place, facts) {
    place.replaceChildren();
    const drive = told.drives.at(-1); // the newest report, if several could not be compared
    if (!drive || drive.report.kind === null) return false;
    const title = drive.report.model ?? "Your drive";
    const verdict = drive.text.replace(/^no problem found: /, "").replace(/^./, (first) => first.toUpperCase());
    const what = { factor: 1 };
    const list = element("dl");
    const show = () =>
      list.replaceChildren(
        ...rows(drive, facts, what).flatMap((row) => {
          const label = element("dt");
          label.append(element("a", row.label, { href: facts.chapters[row.chapter] }));
          const words = element("dd", row.words);
          if (row.bar !== undefined || row.band || row.bins) {
            const svg = element("span", "", { "aria-hidden": "true" });
            svg.innerHTML = `<svg viewBox="0 -2 406 ${high(row)}">${drawn(row, 400)}</svg>`;
            words.prepend(svg);
          }
          return [label, words];
        }),
      );
    show();
    const save = element("button", "Save the card as a picture", { type: "button" });
    save.addEventListener("click", () => {
      const link = element("a", "", { download: "my-drive.svg" });
      link.href = URL.createObjectURL(new Blob([picture(title, verdict, rows(drive, facts, what))], { type: "image/svg+xml" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    });
    const below = element("div", "", { class: "fw-what-ifs" });
    below.append(...whatIfs(drive, facts, what, show), save);
    place.append(element("h3", title), element("p", verdict), list, element("p", SOURCE, { class: "fw-source" }), below);
    return true;
  };
})();
