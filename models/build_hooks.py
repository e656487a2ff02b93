"""What the builds of the wheels compute: a dependency, and what of the data the library holds."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINES = "field_models.csv"  # of each model, for the book, and of each line
_WORKS = "references.bib"
_KEYED = re.compile(r"(?=@\w+\{([^,]+),)(@.*?\n\}\n)", re.DOTALL)
_TIMES = "results/times.csv"
_LONG = re.compile(r"\d+\.\d{9,}(?:e-?\d+)?")
_SAID_BY_THE_SUFFIX = ("profile", "format", "mediatype", "encoding")


class SameVersion(MetadataHookInterface):
    """Hook that sets the dependencies of the wheel of ``flashwear_book``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Require the library in the same version, and the packages named beside it."""
        library = f"flashwear[{self.config['extras']}]=={metadata['version']}"
        metadata["dependencies"] = [library, *self.config["beside"]]


class OwnTables(BuildHookInterface[Any]):
    """Hook that puts into a wheel what its tables are, and what of others the library reads."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Describe the tables that the wheel holds, and keep what of others it reads."""
        if version == "editable":
            return
        data = Path(self.root) / "data"
        held = {*self.build_config.target_config["force-include"], f"data/{_LINES}"}
        described = json.loads((data / "datapackage.json").read_text(encoding="utf-8"))
        described["resources"] = [
            {name: value for name, value in table.items() if name not in _SAID_BY_THE_SUFFIX}
            for table in described["resources"]
            if f"data/{table['path']}" in held
        ]
        self.folder = TemporaryDirectory()
        header, *rows = (data / _LINES).read_text(encoding="utf-8").splitlines(keepends=True)
        modules = (Path(self.root) / "models" / "flashwear").rglob("*.py")
        code = "".join(path.read_text(encoding="utf-8") for path in modules)
        works = (data.parent / "book" / _WORKS).read_text(encoding="utf-8")
        times = (data / _TIMES).read_text(encoding="utf-8")
        for name, text in (
            ("datapackage.json", json.dumps(described, separators=(",", ":"))),
            (_LINES, "".join([header, *(row for row in rows if ",all," in row)])),
            (_WORKS, "".join(work for key, work in _KEYED.findall(works) if key in code)),
            (_TIMES, _LONG.sub(lambda digits: f"{float(digits[0]):.9g}", times)),
        ):
            made = Path(self.folder.name) / Path(name).name
            made.write_text(text, encoding="utf-8")
            build_data["force_include"][str(made)] = f"flashwear/data/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written for the wheel."""
        if version != "editable":
            self.folder.cleanup()
