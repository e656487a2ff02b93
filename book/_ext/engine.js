// Start Python on what stands in PARTS, and give the function that judges a report: from bytes and
// words of the command line to [exit status, standard output, standard error].
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
      createPyodideModule: new Function(await unpack("module").text())(),
      lockFileContents: await unpack("lock").json(),
    });
    python.unpackArchive(await unpack("flashwear").arrayBuffer(), "zip", { extractDir: "/flashwear" });
    const judge = python.runPython(`
import contextlib, io, sys

sys.path.insert(0, "/flashwear")
from flashwear.cli import main


def judge(report, words):
    out, err = io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(report.to_bytes()))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["smart", *words.to_py(), "-"])
    return status, out.getvalue(), err.getvalue()


judge`);
    return (report, words = []) => {
      const told = judge(report, words);
      const plain = told.toJs();
      told.destroy();
      return plain;
    };
  } finally {
    window.fetch = fetchOfThePage;
  }
};
