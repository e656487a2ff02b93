// Start Python on what stands in PARTS, and give the function that judges a drive, or chooses one: from
// the bytes of a report or of a list of drives, words of the command line, the report of an older
// time or drive if there is one, and the command, to [exit status, standard output, standard error].
window.flashwearEngine = async function () {
  const unpack = (name) => {
    const packed = Uint8Array.from(atob(PARTS[name]), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
  };
  const served = {
    "pyodide.asm.wasm": ["wasm", "application/wasm"],
    "python_stdlib.zip": ["library", "application/zip"],
  };
  const fetchOfThePage = window.fetch;
  window.fetch = async (url) => {
    const [part, type] = served[String(url.url || url).split("/").pop()];
    return new Response(unpack(part).body, { headers: { "Content-Type": type } });
  };
  try {
    const python = await loadPyodide.loadPyodide({
      indexURL: "file:///engine/",
      createPyodideModule: makeModule(),
      lockFileContents: await unpack("lock").json(),
    });
    python.unpackArchive(await unpack("flashwear").arrayBuffer(), "zip", { extractDir: "/flashwear" });
    const judge = python.runPython(`
import contextlib, io, sys
from pathlib import Path

sys.path.insert(0, "/flashwear")
from flashwear.cli import main


OLDER = "the older report"


def judge(report, older, words, command):
    out, err = io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(report.to_bytes()))
    words = words.to_py()
    if older is not None:
        Path(OLDER).write_bytes(older.to_bytes())
        words += ["--report" if command == "choose" else "--same-drive", OLDER]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([command, *words, *(["--candidates"] if command == "choose" else []), "-"])
    return status, out.getvalue(), err.getvalue()


judge`);
    return (report, words = [], older = undefined, command = "smart") => {
      const told = judge(report, older, words, command);
      const plain = told.toJs();
      told.destroy();
      return plain;
    };
  } finally {
    window.fetch = fetchOfThePage;
  }
};
