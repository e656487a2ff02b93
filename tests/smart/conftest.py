import pytest

from flashwear import cli


@pytest.fixture
def run(capsys, tmp_path):
    """Return a function that gives the command files of these contents, and paths and options."""

    def run(*contents, options=()):
        paths = [tmp_path / f"{place}.txt" for place in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        status = cli.main(["smart", *map(str, paths), *options])
        return status, *capsys.readouterr()

    return run
