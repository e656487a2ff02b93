// The form of the page My drive: a report is pasted, dropped or chosen, and judged by the script
// that is loaded when it is first asked for.
(function () {
  "use strict";

  const ENGINE = new URL("my-drive-engine.js", document.currentScript.src).href;
  const MOST_BYTES = 4 * 2 ** 20 + 1; // the command refuses what is longer
  const MOST_SHOWN = 100_000; // characters of a report or an answer
  const TITLES = ["No problem found", "Warning", "Critical", "Not known"];
  const LABEL = 22; // characters of the left column of an answer
  let starting;

  function start() {
    if (starting) return starting;
    const script = document.createElement("script");
    starting = new Promise((resolve, reject) => {
      script.src = ENGINE;
      script.onload = () => resolve(window.flashwearEngine ? window.flashwearEngine() : null);
      script.onerror = () => reject(new Error("Its reader could not be loaded. Is there a network?"));
      document.head.append(script);
    }).finally(() => script.remove());
    return starting;
  }

  // PowerShell writes UTF-16
  function decode(bytes) {
    const [first, second] = bytes;
    const kind = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
    return new TextDecoder(kind).decode(bytes);
  }

  // terabytes: a comma parts thousands if three digits follow it, else decimals
  function rated(text) {
    const plain = /^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text.replace(",", ".");
    return plain.trim() && [`--tbw`, `${plain.trim()}TB`];
  }

  // the command's words, without what only a terminal needs
  function forThePage(text) {
    return text
      .slice(0, MOST_SHOWN)
      .replace(/^flashwear: (-: )?/gm, "")
      .replace(/ \(pipe a report in.*\)$/gm, "")
      .replaceAll("give it with --tbw or --dwpd", "enter it in the box above");
  }

  function enhance(form) {
    const { report, file, older, "older-file": olderFile, tbw: rating } = form.elements;
    const answer = document.getElementById("fw-answer");
    const verdict = document.getElementById("fw-verdict"); // which alone is announced
    const rest = document.getElementById("fw-rest");
    const said = document.getElementById("fw-said");
    const card = document.getElementById("fw-story");
    const all = document.getElementById("fw-all");
    const facts = JSON.parse(document.getElementById("fw-story-facts").textContent);
    const buttons = [...form.querySelectorAll("button")];
    const example = document.getElementById("fw-example-report").textContent.trim();
    const fold = form.querySelector("details");
    const progress = document.getElementById("fw-progress");
    let latest = 0;
    const newest = box(report, file);
    const before = box(older, olderFile);

    function show(level, title, body) {
      answer.dataset.level = level;
      verdict.replaceChildren(Object.assign(document.createElement("strong"), { textContent: title }));
      said.replaceChildren(
        ...body.split(/(?<=\n)/).map((line) => {
          const span = Object.assign(document.createElement("span"), { textContent: line });
          span.classList.toggle("fw-row", line.slice(LABEL - 2, LABEL) === "  ");
          return span;
        }),
      );
      card.replaceChildren();
      all.hidden = !body;
      all.open = true;
      rest.hidden = false;
    }

    function clear() {
      delete answer.dataset.level;
      verdict.replaceChildren();
      rest.hidden = true;
    }

    // a box that takes a report as text, or as a file, whose bytes count until the text is changed
    function box(text, chooser) {
      let dropped = null;
      let taken = 0;
      function forget() {
        dropped = null;
        chooser.value = "";
      }
      async function take(chosen) {
        if (!chosen) return;
        const turn = ++taken;
        try {
          const bytes = new Uint8Array(await chosen.slice(0, MOST_BYTES).arrayBuffer());
          if (turn !== taken) return;
          const whole = decode(bytes);
          dropped = bytes;
          text.value = whole.length > MOST_SHOWN || whole.includes("\0") ? "" : whole;
          text.placeholder = text.value ? "" : `${chosen.name}, ${chosen.size.toLocaleString("en")} bytes`;
          judge();
        } catch {
          show(3, "The file could not be read.", "");
        }
      }
      text.addEventListener("input", () => {
        forget();
        clear();
      });
      chooser.addEventListener("change", () => take(chooser.files[0]));
      const put = (value) => {
        forget();
        text.value = value;
      };
      const bytes = () => dropped || (text.value.trim() ? new TextEncoder().encode(text.value) : undefined);
      return { put, take, bytes };
    }

    async function judge() {
      if (!form.reportValidity()) return;
      const [bytes, old] = [newest.bytes(), before.bytes()];
      if (!bytes) {
        show(3, "Paste a report first.", "");
        return;
      }
      const turn = ++latest;
      for (const button of buttons) button.disabled = true;
      show("busy", starting ? "Reading the report." : "Loading the reader, 10 MB: some seconds, a minute on a slow computer.", "");
      progress.hidden = false;
      // let the page paint before Python holds it
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      try {
        const engine = await start();
        if (turn !== latest) return;
        if (!engine) {
          show(3, "Pasting is not built into this copy of the book.", "Use the command below instead.");
          return;
        }
        const words = rated(rating.value) || [];
        const [status, out, err] = engine(bytes, words, old);
        show(status, out ? TITLES[status] : "This could not be read.", forThePage(out + err));
        const told = out && window.flashwearStory(JSON.parse(engine(bytes, [...words, "--json"], old)[1]), card, facts);
        if (told) {
          answer.dataset.level = told.status; // of the drive on the card; others may be in the report
          verdict.firstChild.textContent = TITLES[told.status];
          verdict.append(`. ${told.sentence}.`);
          all.open = false;
        }
      } catch (error) {
        starting = undefined; // it may have broken, or have been out of reach
        show(3, "The report could not be read in this browser.", `${error.message || error}`);
      } finally {
        progress.hidden = true;
        for (const button of buttons) button.disabled = false;
      }
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      judge();
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      (fold.contains(event.target) ? before : newest).take(event.dataTransfer.files[0]);
    });
    document.getElementById("fw-example").addEventListener("click", () => {
      const own = before.bytes() || (newest.bytes() && report.value.trim() !== example);
      if (own && !confirm("Put the example in place of your report?")) return;
      before.put("");
      newest.put(`${example}\n`);
      judge();
    });
    form.hidden = false;
  }

  document.addEventListener("DOMContentLoaded", () => enhance(document.getElementById("fw-my-drive")));
})();
