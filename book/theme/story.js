// The answer of My drive as a card: what the command says with --json, drawn by card.js. No figure is
// computed here but years at another load, and nothing leaves the page.
(function () {
  "use strict";
  const FACTORS = [0.25, 0.5, 1, 2, 4];
  const YEAR = 365; // days
  const NAMES = { dwpd: "Written a day", used: "Life used, among others" };
  const FIELD = "Drives whose owners sent reports: of Linux users, most with servers; linux-hardware.org, CC BY 4.0.";
  const SOURCE = `The dot is your drive. ${FIELD} Drives of one model and the same hours count once.`;

  const short = (value) => value.toLocaleString("en", { maximumSignificantDigits: value < 10 ? 2 : 3 });
  const ratio = (value) => (value < 10 ? value.toPrecision(2) : short(value));
  const whole = (value) => Math.round(value).toLocaleString("en");
  const tb = (bytes) => `${short(bytes / 1e12)} TB`;
  const amount = (bytes) => (bytes < 1e12 ? `${short(bytes / 1e9)} GB` : tb(bytes));

  // years as the command writes them
  function interval(low, high = low) {
    const span = (value) => (value < 10 ? value.toFixed(1) : whole(value));
    if (high === null) return `more than ${span(low)} years`;
    if (high < 1 / 12) return "less than a month";
    const [unit, shown] = high >= 2 ? ["years", span] : ["months", (value) => whole(12 * value)];
    if (shown(low) === shown(high) && shown(low) === "1" && unit === "months") return "1 month";
    return shown(low) === shown(high) ? `${shown(low)} ${unit}` : `${shown(low)} to ${shown(high)} ${unit}`;
  }

  // years where so much is written and what is written wears so little, as shares of what is now
  function moved({ rating, wear }, load, saved) {
    const longer = (years, times) => (years === null ? null : years * times);
    return { rating: longer(rating, 1 / load), wear: wear && wear.map((end) => longer(end, saved / load)) };
  }

  // years in words, or null where there are none
  function left({ rating, wear }) {
    const parts = [];
    const over = rating === 0 || wear?.[1] === 0;
    if (rating !== null) parts.push(rating ? `${interval(rating)} by its rating` : "rating used up");
    if (wear !== null) parts.push(wear[1] === 0 ? "rated wear used up" : `${interval(...wear)} by wear`);
    if (over) parts.push("which is what the maker promises and not the end");
    return parts.join(", ") || null;
  }
  const sentence = (words) => `${words.replace(/^./, (letter) => letter.toUpperCase())}.`;
  const unknown = (forecast) => forecast.wear_unknown ?? forecast.rating_unknown ?? "not known";

  // what two reports of one drive tell of the time between them, or why they do not
  function between({ report, between: change, not_compared: why }) {
    if (why) return `Not compared: ${why}.`;
    const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
    const clock = change.seconds === null ? "" : ` in ${short(change.seconds / 86_400)} days, ${day(report.time_s - change.seconds)} to ${day(report.time_s)}`;
    const told = [];
    if (change.host_bytes !== null) told.push(`${amount((change.host_bytes * 24) / change.hours)} written a day`);
    if (change.waf !== null) told.push(`write amplification ${ratio(change.waf)}`);
    if (change.percent !== null) told.push(`${change.percent} % of life used`);
    const pace = ` Left at that pace: ${left(change.forecast) ?? unknown(change.forecast)}.`;
    return `${change.hours.toLocaleString("en")} hours under power${clock}: ${told.join(", ") || "nothing that the drive counts"}.${pace}`;
  }

  // a full drive with about this spare under random writes, by formula, and one of which a fifth is empty
  const formula = (spare, sizes) => sizes.find((one) => Math.abs(one.spare - spare) < 0.02) ?? sizes.find((one) => one.usual);

  // what stands at the top and moves with what the reader would change
  function first(told, drive, facts, wish) {
    const { report, rated_bytes: rated, forecast } = drive;
    const found = [];
    const { percent_used: used, host_bytes_written: written } = report;
    for (const [label, isNote] of [["Found", false], ["Noted", true]]) {
      const grounds = drive.reasons.filter((one) => (one.level === "note") === isNote).map((one) => one.text);
      if (grounds.length) found.push({ label, words: `${grounds.join("; ")}.`, chapter: "field" });
    }
    const doubts = Object.values(drive.distrust).join("; ");
    if (doubts) found.push({ label: "Not to be trusted", words: `${doubts}.`, chapter: "field" });
    const stopped = drive.used_at_least ? "at least " : "";
    if (used !== null) found.push({ label: "Life used", words: `${stopped}${short(used)} %`, chapter: "promise", bar: used / 100 });
    if (written !== null && rated) found.push({ label: "Rating used", words: `${tb(written)} of ${tb(rated)}`, chapter: "budget", bar: written / rated });
    const now = drive.bytes_per_day; // null where it is too early for years
    const daily = wish.daily ?? (now === null ? null : now * wish.factor);
    const load = wish.daily === null ? wish.factor : wish.daily / now;
    const saved = wish.empty ? Math.min(facts.size.full / facts.size.fifth, report.waf) : 1;
    const at = daily === null ? "" : ` at ${amount(daily)} a day`;
    const years = moved(forecast, load, saved);
    const only = wish.empty ? ", with a fifth left empty, if TRIM reaches the drive and its writes are random; else its wear is as before" : "";
    const words = left(years);
    if (words === null) found.push({ label: "Years left", words: sentence(unknown(forecast)), chapter: "budget" });
    else found.push({ label: "Years left", words: `${words}, under power${at}${only}`, chapter: "budget", years });
    if (wish.rated !== null) {
      const label = `A drive rated for ${wish.rated.toLocaleString("en")} TB`;
      const other = daily === null ? null : { rating: (wish.rated * 1e12) / daily / YEAR, wear: null };
      found.push({ label, words: other ? `${left(other)}, from new, under power${at}` : "not known: this takes a load", chapter: "budget", years: other });
    }
    if (drive.between || drive.not_compared) found.push({ label: "Between the reports", words: between(drive), chapter: "budget", above: true });
    else if (told.drives.length > 1) found.push({ label: "Other drives", words: `${told.drives.length - 1} more: see all that the reports say.`, chapter: "field" });
    for (const { file, error } of told.errors) found.push({ label: "Not read", words: `${file === "-" ? "A part of the report" : file}: ${error}`, chapter: "field", above: true });
    return found;
  }

  // what stays: write amplification in its parts, the drive among all others, what would help
  function second({ amplification, among, in_field: field, report, explained, empty_space_helps: helps }, { size }) {
    const lines = Object.fromEntries(among.map((one) => [one.quantity, one]));
    const all = Object.fromEntries(field.map((one) => [one.quantity, one]));
    const spare = `${Math.round(100 * size.spare)} %`;
    const unit = (quantity) => (quantity === "used" ? " %" : "");
    const ends = (line) => `eight in ten from ${short(line.p10)} to ${short(line.p90)}${unit(line.quantity)}`;
    const share = (part) => (part < 0.005 ? "Next to none" : part > 0.995 ? "Nearly all" : `About ${Math.round(100 * part)} %`);
    const others = (one) => `${share(one.below)} of ${one.drives.toLocaleString("en")} drives whose owners sent reports have less.`;
    const line = lines.waf;
    const parts = [{ value: size.full, words: `${ratio(size.full)}: random writes over a full drive with ${spare} of spare flash, by formula` }];
    if (line) parts.unshift({ value: line.p50, words: `${ratio(line.p50)}: the median of ${line.drives.toLocaleString("en")} drives of its line (${line.line}); ${ends(line)}: the band` });
    const own = all.waf?.value ?? null;
    if (own !== null) parts.unshift({ value: own, words: `${ratio(own)}: yours${report.slc_bytes_written ? ", without what went to its SLC cache" : ""}` });
    const more = own > explained * size.full ? " Yours is more than random writes explain." : "";
    const words = own === null ? sentence(amplification) : `${others(all.waf)}${more}`;
    const found = [{ label: "Bytes to flash for each of yours", chapter: "amplification", parts: own === null ? null : parts, words, field: all.waf, line }];
    for (const [quantity, label] of Object.entries(NAMES)) {
      const one = all[quantity];
      if (!one) continue;
      const own = quantity === "dwpd" ? `${short(one.value)} of its capacity. ` : "";
      const near = lines[quantity];
      const its = near ? ` The band: ${near.drives.toLocaleString("en")} drives of its line (${near.line}); half have less than ${short(near.p50)}${unit(quantity)}, ${ends(near)}.` : "";
      found.push({ label, chapter: "field", words: `${own}${others(one)}${its}`, field: one, line: near });
    }
    if (helps)
      found.push({
        label: "What would help",
        words: `Leave a fifth of the drive empty: random writes over the rest then cost ${ratio(size.fifth)} instead of ${ratio(size.full)}, by formula. It helps if TRIM reaches the drive (LUKS, RAID and USB cases often block it) and the writes are random; files written in order gain little.`,
        chapter: "trim",
      });
    return found;
  }

  const element = (name, text = "", attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const inline = (one) => {
    const span = element("span", "", { "aria-hidden": "true" });
    span.innerHTML = window.flashwearCard.inPage(one);
    return span;
  };
  const picture = (row) => inline(window.flashwearCard.drawn(row));

  function listed(rows, chapters) {
    const { bars, drawn } = window.flashwearCard;
    return rows.flatMap((row) => {
      const label = element("dt");
      label.append(element("a", row.label, { href: chapters[row.chapter] }));
      const words = element("dd");
      bars((row.parts ?? []).map((part) => part.value)).forEach((one, at) => {
        const part = element("p", "", { class: "fw-part" });
        part.append(inline(one), row.parts[at].words);
        words.append(part);
      });
      const one = drawn(row);
      if (one) words.append(inline(one));
      words.append(row.words);
      return [label, words];
    });
  }

  // the controls of what the reader would change; each change is handed on
  function wishes({ report, in_field: field, empty_space_helps: helps }, facts, changed) {
    const wish = { factor: 1, daily: null, empty: false, rated: null };
    const set = element("fieldset");
    const labelled = (text, control, after = "") => {
      const label = element("label", text);
      label.append(control, after);
      set.append(label);
    };
    const load = element("select");
    for (const one of FACTORS) load.append(new Option(one === 1 ? "as until now" : `${one} times as much`, one, one === 1, one === 1));
    const reported = element("optgroup", "", { label: "as much as" });
    Object.entries(facts.loads).forEach(([what, bytes]) => reported.append(new Option(`${what} (${amount(bytes)} a day)`, what)));
    if (report.host_bytes_written && report.power_on_hours) load.append(reported);
    load.addEventListener("change", () => {
      wish.daily = facts.loads[load.value] ?? null;
      wish.factor = wish.daily === null ? Number(load.value) : 1;
      changed(wish);
    });
    set.append(element("legend", "What if"));
    labelled("Writes from now on ", load);
    if (helps && field.some((one) => one.quantity === "waf")) {
      const empty = element("input", "", { type: "checkbox" });
      empty.addEventListener("change", () => changed(Object.assign(wish, { empty: empty.checked })));
      labelled("", empty, " A fifth of the drive left empty");
    }
    const rated = element("input", "", { type: "number", min: 1, max: 1e6, step: "any", inputmode: "decimal", placeholder: 600 });
    rated.addEventListener("input", () => changed(Object.assign(wish, { rated: rated.value && rated.validity.valid ? Number(rated.value) : null })));
    labelled("Another drive, rated for ", rated, " TB written");
    return [set, wish];
  }

  // draw the card; give the status of its drive and the sentence over it, or null where there is no drive to tell of
  window.flashwearStory = function (told, place, facts) {
    place.replaceChildren();
    const drive = told.drives[told.foremost];
    if (!drive || !drive.is_drive) return null;
    const known = { ...facts, size: formula(drive.spare_guessed ?? NaN, facts.sizes) };
    const title = drive.report.model ?? "Your drive";
    const verdict = drive.text.replace(/^no problem found: /, "").replace(/^./, (letter) => letter.toUpperCase());
    const rest = second(drive, known);
    const source = rest.some((row) => row.field) ? SOURCE : "";
    const top = element("dl");
    const near = element("dl"); // of what was asked for by a second report, which is not folded
    const show = (wish) => {
      const rows = first(told, drive, known, wish);
      for (const [list, above] of [[near, true], [top, false]]) list.replaceChildren(...listed(rows.filter((row) => Boolean(row.above) === above), facts.chapters));
    };
    const [controls, wish] = wishes(drive, known, show);
    const below = element("dl");
    below.append(...listed(rest, facts.chapters));
    const used = drive.report.percent_used;
    const life = used === null ? "" : `${drive.used_at_least ? "at least " : ""}${short(used)} % of its rated life used`;
    const others = drive.in_field.find((one) => one.quantity === "used") ?? drive.in_field.find((one) => one.quantity === "dwpd");
    const save = element("button", "Save the card as a picture", { type: "button" });
    save.addEventListener("click", () => {
      const among = others && { ...others, name: NAMES[others.quantity].toLowerCase().split(",")[0] };
      const advice = verdict.replace(`${life}; `, "").replace(/^./, (letter) => letter.toUpperCase());
      const told = { title, level: drive.status, verdict: drive.status ? advice : `No problem found. ${advice}`, sentence: drive.sentence, used: used / 100, life, among };
      window.flashwearCard.saved(window.flashwearCard.picture({ ...told, source: `Flash Wear. ${others ? FIELD : ""}` }), "my-drive.png");
    });
    show(wish);
    const behind = element("details");
    behind.append(element("summary", "The figures behind it, and what if"), top, controls, below, element("p", source, { class: "fw-source" }));
    const bar = element("p", life, { class: "fw-part" });
    if (used !== null) bar.prepend(picture({ bar: used / 100 }));
    place.append(element("h3", title), element("p", drive.sentence, { class: "fw-sentence" }), bar, near, behind, save);
    return { status: drive.status, sentence: verdict };
  };
})();
