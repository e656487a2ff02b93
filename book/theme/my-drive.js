// The form of the page My drive: a report is pasted, dropped or chosen, and judged by the script
// that is loaded when it is first asked for.
(function () {
  "use strict";

  const ENGINE = new URL("my-drive-engine.js", document.currentScript.src).href;
  const MOST_BYTES = 16 * 2 ** 20; // the command reads less, and says so
  const LEVELS = ["Nothing found", "Warning", "Critical", "Not known"];
  let starting;

  function start() {
    starting ||= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = ENGINE;
      script.onload = () => (window.flashwearEngine ? resolve(window.flashwearEngine()) : resolve(null));
      script.onerror = () => reject(new Error("its file is missing"));
      document.head.append(script);
    });
    return starting;
  }

  function enhance(form) {
    const [text, file, rating] = ["report", "file", "tbw"].map((name) => form.elements[name]);
    const answer = document.getElementById("fw-answer");
    const said = document.getElementById("fw-said");
    const button = form.querySelector("button[type=submit]");
    let dropped = null; // the bytes of a file, until the text is changed

    function show(level, title, body) {
      answer.dataset.level = level;
      answer.querySelector("strong").textContent = title;
      said.textContent = body;
      said.hidden = !body;
      answer.hidden = false;
    }

    async function take(chosen) {
      if (!chosen) return;
      dropped = new Uint8Array(await chosen.slice(0, MOST_BYTES).arrayBuffer());
      text.value = new TextDecoder().decode(dropped.slice(0, 100000));
      judge();
    }

    async function judge() {
      // what is copied from a terminal often lacks the end of its last line
      const report = dropped || new TextEncoder().encode(text.value.replace(/[^\n]$/, "$&\n"));
      button.disabled = true;
      show("busy", "Reading the report. The first time takes some seconds.", "");
      // let the page paint before Python holds it
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      try {
        const engine = await start();
        if (!engine) {
          show(3, "Pasting is not built into this copy of the book.", "Use the command below instead.");
          return;
        }
        const words = rating.value.trim() ? ["--tbw", rating.value.trim()] : [];
        const [status, out, err] = engine(report, words);
        show(status, LEVELS[status] || LEVELS[3], out + err);
      } catch (error) {
        show(3, "The report could not be read in this browser.", `${error.message || error}`);
      } finally {
        button.disabled = false;
      }
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      judge();
    });
    text.addEventListener("input", () => (dropped = null));
    file.addEventListener("change", () => take(file.files[0]));
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      take(event.dataTransfer.files[0]);
    });
    document.getElementById("fw-example").addEventListener("click", () => {
      dropped = null;
      text.value = document.getElementById("fw-example-report").textContent.trim();
      judge();
    });
    form.hidden = false;
  }

  document.addEventListener("DOMContentLoaded", () => enhance(document.getElementById("fw-my-drive")));
})();
