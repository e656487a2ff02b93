"""Put ``flashwear smart`` and ``choose`` into *My drive* and *Which drive?*, to run in the browser.

Python for the browser is Pyodide's core, of a pinned version and hash, fetched by npm at build time
and kept in ``build/engine``. One script holds it, packed, with our own unmodified modules and their
tables. A page from disk may load scripts and nothing else, so that there is no other way. Without
npm, or off the network, the script says that there is no engine and the book is built all the same.
"""

import base64
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from fresh_install import ROOT

FOLDER = ROOT / "build" / "engine"
SCRIPT = "my-drive-engine.js"
NONE = "window.flashwearEngine = null;\n"

VERSION = "314.0.7"
_SHA512 = (
    "d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc"
    "8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4"
)
_FETCH_S = 300
_MODULES = ("*.py", "choose/*.py", "smart/*.py", "cli/*.py")
_TABLES = (
    "endurance_ratings",
    "field_distribution",
    "field_lines",
    "field_models",
    "gauge_ends",
    "host_layers",
    "model_ratings",
    "model_unrated",
    "named_loads",
    "smart_families",
    "smart_firmware",
    "smart_fits",
    "smart_flags",
    "smart_rules",
    "smart_findings",
    "smart_used_up",
    "sustained_speeds",
)
_START = Path(__file__).with_name("engine.js")

_log = logging.getLogger(__name__)


def write_engine(app: Sphinx, exception: Exception | None) -> None:
    """Write the script beside the built pages, made anew if anything in it has changed."""
    if exception is not None:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    package, script, made = _package(), FOLDER / SCRIPT, FOLDER / ".made"
    target = Path(app.outdir) / "_static" / SCRIPT
    if package is None:
        target.write_text(NONE, encoding="utf-8")
        return
    ours = _ours()
    parts = (Path(__file__).read_bytes(), _START.read_bytes(), ours)
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
    if not made.is_file() or made.read_text(encoding="utf-8") != digest:
        script.write_text(_script(package, ours), encoding="utf-8")
        made.write_text(digest, encoding="utf-8")
    shutil.copyfile(script, target)


def _package() -> bytes | None:
    """Return Pyodide's package as it was published, or None where it cannot be had."""
    file = FOLDER / f"pyodide-{VERSION}.tgz"
    npm = shutil.which("npm")
    if not file.is_file() and npm:
        wanted = [npm, "pack", f"pyodide@{VERSION}", "--silent", "--pack-destination", str(FOLDER)]
        try:
            subprocess.run(wanted, check=True, capture_output=True, timeout=_FETCH_S)
        except (OSError, subprocess.SubprocessError) as error:
            _log.info("npm gave no Pyodide: %s", error)
    if not file.is_file():
        _log.info("pasting a report is not built in: it takes npm and the network once")
        return None
    data = file.read_bytes()
    if hashlib.sha512(data).hexdigest() != _SHA512:
        file.unlink()
        raise ExtensionError(
            f"pyodide {VERSION} must have the SHA-512 that is pinned: it was removed"
        )
    return data


def _ours() -> bytes:
    """Return an archive with the modules of the command and the tables that it reads."""
    models = ROOT / "models"
    files = {
        path.relative_to(models).as_posix(): path
        for pattern in _MODULES
        for path in (models / "flashwear").glob(pattern)
    }
    files |= {f"flashwear/data/{name}.csv": ROOT / "data" / f"{name}.csv" for name in _TABLES}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, path in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
    return packed.getvalue()


def _script(package: bytes, ours: bytes) -> str:
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:

        def member(name: str) -> bytes:
            return archive.extractfile(f"package/{name}").read()

        loader = member("pyodide.js").decode()
        module = member("pyodide.asm.mjs").decode()
        lock = json.loads(member("pyodide-lock.json")) | {"packages": {}}
        parts = {
            "wasm": member("pyodide.asm.wasm"),
            "library": member("python_stdlib.zip"),
        }
    # a module cannot be loaded from disk: as the body of a function it can
    module = module.replace("export default _createPyodideModule;", "")
    module = module.replace("import.meta.url", '"file:///engine/"')
    module = f"function makeModule() {{\n{module}\nreturn _createPyodideModule;\n}}"
    parts |= {
        "lock": json.dumps(lock).encode(),
        "flashwear": ours,
    }
    packed = {
        name: base64.b64encode(gzip.compress(data, mtime=0)).decode()
        for name, data in parts.items()
    }
    loader = re.sub(r"^//# sourceMappingURL=.*$", "", loader, flags=re.MULTILINE)
    start = _START.read_text(encoding="utf-8")
    return (
        f"(function () {{\n{loader}\n{module}\nconst PARTS = {json.dumps(packed)};\n{start}}})();\n"
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", write_engine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
