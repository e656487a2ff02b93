// On the search page: first the pages that answer what readers ask, then what Sphinx found, each with
// the words around the match (search-texts.js, written by book/_ext/finding.py).
(function () {
  "use strict";

  const MOST = 3; // pages that come first
  const SHOWN = 80; // parts of an excerpt: words and what stands between them
  const BEFORE = 16; // of these before the first word that was asked for
  const TEXTS = new URL("search-texts.js", document.currentScript.src).href;
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

  // whether the words of a phrase stand in the query, one after the other
  function stands(phrase, query) {
    return query.some((_, at) => phrase.every((word, index) => query[at + index] === word));
  }

  function answers(query) {
    const best = new Map();
    for (const [phrase, page] of window.flashwearSearch.asked) {
      const asked = words(phrase);
      if (stands(asked, query)) best.set(page, Math.max(best.get(page) || 0, asked.length));
    }
    return [...best].sort((one, other) => other[1] - one[1]).slice(0, MOST).map(([page]) => page);
  }

  // the stretch of a text with most of the words, each in its place: [word or what stands between, ...]
  function excerpt(text, query) {
    const parts = text.split(/([\p{L}\p{N}]+)/u); // words at odd places
    const asked = (part) => query.find((word) => word.length > 2 && part.toLowerCase().startsWith(word));
    const hits = parts.map((part, at) => (at % 2 ? asked(part) : undefined));
    let best = 0;
    let most = 0;
    for (let at = 1; at < parts.length; at += 2) {
      if (!hits[at]) continue;
      const found = new Set(hits.slice(at, at + SHOWN).filter(Boolean)).size;
      if (found > most) [best, most] = [at, found];
    }
    const start = Math.max(0, best - BEFORE);
    const shown = parts.slice(start, start + SHOWN);
    const marked = shown.map((part, at) =>
      hits[start + at] ? Object.assign(document.createElement("mark"), { textContent: part }) : part,
    );
    return [start ? "… " : "", ...marked, start + SHOWN < parts.length ? " …" : ""];
  }

  function describe(item, page, query) {
    const text = window.flashwearSearch.texts[page];
    if (!text || item.querySelector("p")) return;
    const words = Object.assign(document.createElement("p"), { className: "context" });
    words.append(...excerpt(text, query));
    item.append(words);
  }

  function pageOf(link) {
    return link.getAttribute("href").replace(/\.html.*$/, "");
  }

  function enhance(results) {
    const query = words(new URLSearchParams(location.search).get("q") || "");
    const pages = answers(query);
    if (pages.length) {
      const list = Object.assign(document.createElement("ul"), { className: "search fw-answers" });
      for (const page of pages) {
        const item = document.createElement("li");
        const link = Object.assign(document.createElement("a"), { href: `${page}.html` });
        link.textContent = window.flashwearSearch.titles[page];
        item.append(link);
        describe(item, page, query);
        list.append(item);
      }
      results.before(list);
    }
    const describeAll = () => {
      for (const item of results.querySelectorAll("li")) describe(item, pageOf(item.querySelector("a")), query);
    };
    new MutationObserver(describeAll).observe(results, { childList: true, subtree: true });
    describeAll();
  }

  const results = document.getElementById("search-results");
  if (!results) return;
  const script = document.createElement("script");
  script.src = TEXTS;
  script.onload = () => enhance(results);
  document.head.append(script);
})();
