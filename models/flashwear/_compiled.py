"""Compile inner loops with numba, and keep the machine code from one process to the next.

The code is kept in the user's cache folder (or that of ``NUMBA_CACHE_DIR``), for each module under
a digest of it and of what it imports: numba itself does not notice a change in a function that the
compiled one calls. Who can write there can run code as the user, since numba's index is a pickle:
folders are made for the user alone, and in one that is another's, or that others may write, nothing
is kept and nothing read. A compilation that takes long says so on stderr, except where
``FLASHWEAR_BOOK`` is set.

numba is then used beyond what it promises. With ``FLASHWEAR_PLAIN_NUMBA=1``, and by itself where it
is newer than was tried, it is not: the results are the same, but compiling takes about three times
as long, and nothing is said of it.
"""

import functools
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, Self, TypeVar, cast

import numpy as np

from flashwear import _digest
from flashwear._extras import plain_numba, require

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)

_KEPT_S = 30 * 86_400.0  # machine code that was not used for so long is removed
_STARTED = time.time()
_OPTIONS: dict[str, Any] = {"_nrt": False, "nogil": True}
_INSTEAD = ContextVar("instead", default="")
_BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """Compile `function` with numba when it is first called.

    Importing a module that uses this loads nothing. Without numba the function runs as
    written, with the same results, only slower.
    """
    chosen: list[Callable[..., Any]] = []

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if not chosen:
            try:
                chosen.append(_njit(function))
            except ImportError:
                chosen.append(function)
        return chosen[0](*arguments)

    return cast(Function, call)


def jit(function: Function) -> Function:
    """Compile `function` with numba; Python and compiled code may call it.

    Without numba a call raises ImportError. It must not make an array: references are not counted
    (`_nrt`), because counting takes longer than most functions do. Other threads of Python run
    meanwhile, and must not change its arrays.
    """
    if find_spec("numba") is None:
        return cast(Function, functools.wraps(function)(lambda *_: require("sim", "numba")))
    return cast(Function, _Both(function))


def inner(function: Function) -> Function:
    """Compile `function` in half the time of :func:`jit`; only compiled code may call it."""
    if plain_numba():
        return _called(function, function)
    return _njit(function, **_OPTIONS, **_BARE, pipeline_class=_pipeline())


def inlined(function: Function) -> Function:
    """Compile `function` like :func:`inner`, and inline it wherever it is called."""
    if plain_numba():
        return _called(function, function, forceinline=True)
    return _njit(function, **_OPTIONS, **_BARE, forceinline=True, pipeline_class=_pipeline())


def by_pointer(kind: Kind) -> Kind:
    """Declare that compiled functions receive a class of named tuples as a single pointer."""
    if not plain_numba():
        from flashwear._pointer import declare

        declare(kind)
    return kind


def whole_numbers(*names: str) -> np.dtype[np.void]:
    """Return a numpy dtype: a record that has an int64 field of each of the given names."""
    return np.dtype([(name, np.int64) for name in names], align=True)


def zero_record(kind: np.dtype[np.void]) -> np.record:
    """Return a record of zeros of dtype `kind`, whose fields can be read as attributes."""
    zeros: np.record = np.zeros(1, kind).view(np.recarray)[0]
    return zeros


def _pipeline() -> Any:
    from flashwear._bare import Bare

    return Bare


def _called(by: Any, function: Function, **options: Any) -> Function:
    """Let compiled code call `function` by a name; it takes literals as numbers, as `_njit`."""
    extending: Any = import_module("numba.extending")
    allowed = _allowed(_OPTIONS | options)
    extending.overload(by, jit_options=allowed, strict=False)(lambda *_: function)
    return function


def _allowed(options: dict[str, Any]) -> dict[str, Any]:
    """Leave out options that plain numba does not know; they change speed alone."""
    return {name: options[name] for name in options if not plain_numba() or _knows(name)}


@functools.cache
def _knows(option: str) -> bool:
    import numba

    try:
        numba.njit(**{option: True})(lambda: None)()  # type: ignore[call-overload]
    except KeyError:
        return False
    return True


class _Both:
    """A function in two forms, of which each is compiled when it is first called.

    What only compiled code calls gets no code for the way in from Python, which takes as long to
    make as a small function itself.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        if plain_numba():
            _called(self, function)
        else:
            self._bare = cast(Any, inner(function))
            self._numba_type_ = self._bare._numba_type_

    @functools.cached_property
    def _entered(self) -> Callable[..., Any]:
        function = cast(FunctionType, self.__wrapped__)  # type: ignore[attr-defined]
        own = FunctionType(function.__code__, function.__globals__, closure=function.__closure__)
        functools.update_wrapper(own, function)
        own.__qualname__ += ".from_python"  # else each form would be kept in place of the other
        return _njit(own, **_OPTIONS)

    def __call__(self, *arguments: Any) -> Any:
        return self._entered(*arguments)

    def __reduce__(self) -> str:
        return cast(str, self.__qualname__)  # type: ignore[attr-defined]


def _njit(function: Function, **options: Any) -> Function:
    if not plain_numba():
        _watch()
    import numba

    options = _allowed(options)
    config: Any = numba.config
    before = config.CACHE_DIR, getattr(config, "CACHE_LOCATOR_CLASSES", "")
    config.CACHE_DIR = before[0] or _user_folder()
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Locator.__name__}"
    try:
        made = numba.njit(cache="pipeline_class" not in options, **options)(function)
    except RuntimeError:  # it has no locator
        made = numba.njit(**options)(function)
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before
    if plain_numba():
        return cast(Function, made)
    template = made.get_call_template
    # a literal argument would make numba compile the function once more, for this value alone
    made.get_call_template = lambda arguments, named: template(
        tuple(map(numba.types.unliteral, arguments)), named
    )
    return cast(Function, made)


@contextmanager
def rather(text: str) -> Iterator[None]:
    """Within this context, add `text`, a faster way, to the message that compiling takes long."""
    token = _INSTEAD.set(f" ({text})")
    try:
        yield
    finally:
        _INSTEAD.reset(token)


@functools.cache
def _watch(patience_s: float = 3.0) -> None:
    """Say on stderr, once, that code is being compiled, if that takes longer than `patience_s`."""
    events: Any = import_module("numba.core.event")

    class Watch(events.Listener):  # type: ignore[misc]
        depth = 0
        timer: threading.Timer | None = None
        has_told = False

        def on_start(self, begun: Any) -> None:
            self.depth += 1
            is_own = begun.data["dispatcher"].py_func.__module__.startswith(f"{__package__}.")
            if self.depth == 1 and is_own and not self.has_told:
                told = [begun.data["dispatcher"], _INSTEAD.get()]
                self.timer = threading.Timer(patience_s, self.tell, told)
                self.timer.daemon = True
                self.timer.start()

        def on_end(self, ended: Any) -> None:
            self.depth -= 1
            if self.depth == 0 and self.timer is not None:
                self.timer.cancel()

        def tell(self, dispatcher: Any, instead: str) -> None:
            self.has_told = True
            if "FLASHWEAR_BOOK" in os.environ:
                return
            folder = dispatcher._cache.cache_path
            kept = "not kept: no folder that you alone may write (see NUMBA_CACHE_DIR)"
            if folder:
                kept = f"kept in {Path(folder).parent}"
            print(
                f"flashwear: compiling, up to half a minute, once{instead}; the code is {kept}",
                file=sys.stderr,
            )

    events.register("numba:compile", Watch())


class Locator:
    """Tells numba where to keep the compiled code of a function."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> Self | None:
        """Return the locator of a function; None if it is not of this package or has no folder."""
        import numba

        config: Any = numba.config
        try:
            return cls(_folder(function.__module__, config.CACHE_DIR))
        except (OSError, ValueError):
            return None

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        _make_private(self._folder)

    def get_cache_path(self) -> str:
        """Return the folder; its name changes with the code of the function."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return an empty stamp, since the folder already depends on the source."""
        return ""

    def get_disambiguator(self) -> str:
        """Return an empty text; closures are told apart by what they enclose."""
        return ""


@functools.cache
def _folder(module: str, base: str) -> Path:
    """Return the folder of a module's code, and remove what nobody used or nobody can read.

    Raises OSError if it cannot be written to or others may write to it, and ValueError if the code
    that runs may not be that in the files, or is of another package.
    """
    import numba

    if module.partition(".")[0] != __package__:
        raise ValueError(f"{module} is of another package")
    sources = Path(__file__).parent.rglob("*.py")
    if max(path.stat().st_mtime for path in sources) > _STARTED:
        raise ValueError("the source has changed since this process began")
    mode = "-plain" if plain_numba() else ""
    above = Path(base) / f"numba-{numba.__version__}-numpy-{np.__version__}{mode}"
    folder = above / f"{module}-{_digest.digest([module])}"
    for each in (Path(base), above, folder):
        _make_private(each)
    with tempfile.TemporaryFile(dir=folder):
        os.utime(folder)
    for path in folder.iterdir():
        if path.stat().st_size == 0:  # a full disk, or a crash
            path.unlink(missing_ok=True)
    for other in above.glob(f"{module}-*"):
        if time.time() - other.stat().st_mtime > _KEPT_S:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def _make_private(folder: Path) -> None:
    """Make a folder for the user alone; raise OSError for one that others own or may write."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "geteuid"):  # else a folder of the user is private by its place
        about = folder.stat()
        if about.st_uid != os.geteuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{folder} must belong to the user, who alone may write there")


def _user_folder() -> str:
    places = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}
    elsewhere = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return str(Path(places.get(sys.platform, elsewhere), "flashwear").expanduser())
