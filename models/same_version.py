"""Let the wheel of the book require the library of its own version."""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SameVersion(MetadataHookInterface):
    """Build hook that sets the dependencies of the wheel of ``flashwear_book``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Require the library in the same version, and the packages named beside it."""
        library = f"flashwear[{self.config['extras']}]=={metadata['version']}"
        metadata["dependencies"] = [library, *self.config["beside"]]
