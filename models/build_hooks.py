"""What the builds of the wheels compute: a dependency, and which tables the library describes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINES = "field_models.csv"
_SAID_BY_THE_SUFFIX = ("profile", "format", "mediatype", "encoding")


class SameVersion(MetadataHookInterface):
    """Hook that sets the dependencies of the wheel of ``flashwear_book``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Require the library in the same version, and the packages named beside it."""
        library = f"flashwear[{self.config['extras']}]=={metadata['version']}"
        metadata["dependencies"] = [library, *self.config["beside"]]


class OwnTables(BuildHookInterface[Any]):
    """Hook that puts the descriptions of its tables, and of no others, into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Describe the tables that the wheel holds."""
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
        made = Path(self.folder.name) / "datapackage.json"
        made.write_text(json.dumps(described, separators=(",", ":")), encoding="utf-8")
        build_data["force_include"][str(made)] = "flashwear/data/datapackage.json"
        header, *rows = (data / _LINES).read_text(encoding="utf-8").splitlines(keepends=True)
        lines = Path(self.folder.name) / _LINES  # the models of each are for the book
        lines.write_text("".join([header, *(row for row in rows if ",all," in row)]), "utf-8")
        build_data["force_include"][str(lines)] = f"flashwear/data/{_LINES}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written for the wheel."""
        if version != "editable":
            self.folder.cleanup()
