// On the search page: first the pages that answer what readers ask, then what Sphinx found, each with
// its first sentences (search-texts.js, written by book/_ext/finding.py).
(function () {
  "use strict";

  const MOST = 3; // pages that come first
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

  function describe(item, page) {
    const text = window.flashwearSearch.texts[page];
    if (!text || item.querySelector("p")) return;
    item.append(Object.assign(document.createElement("p"), { className: "context", textContent: text }));
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
        describe(item, page);
        list.append(item);
      }
      results.before(list);
    }
    const describeAll = () => {
      for (const item of results.querySelectorAll("li")) describe(item, pageOf(item.querySelector("a")));
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
