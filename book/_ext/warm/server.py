"""Start kernels by forking a process that has imported what nearly all notebooks import.

``server.py SOCKET`` waits for those who ask (see ``client.py``), and ends with its standard input. A
kernel has the environment, folder, and open files of the one who asked, and ends with it. Nothing of
the project is imported beforehand, as what a notebook opens is written down by its own process.
"""

import contextlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys


def preload() -> None:
    """Import what takes long; no thread is running after it, so that a fork is safe."""
    import altair
    import ipykernel.kernelapp
    import pandas
    import scipy.stats

    assert altair and ipykernel and pandas and scipy  # noqa: PT018


def run_kernel(asked: dict, files: list[int]) -> None:
    """Become the kernel that was asked for."""
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(__file__)]
    for folder in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        runpy.run_path(os.path.join(folder, "sitecustomize.py"))
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # without which it would not end
    IPKernelApp.launch_instance(argv=["-f", asked["connection"], parent])


def serve(listener: socket.socket) -> None:
    """Fork a kernel for each who asks, tell its number and how it ended."""
    waiting = selectors.DefaultSelector()
    waiting.register(listener, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    waiting.register(ended, selectors.EVENT_READ)
    kernels: dict[int, socket.socket] = {}
    while True:
        for key, _ in waiting.select():
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listener:
                asker, _ = listener.accept()
                text, files, *_ = socket.recv_fds(asker, 2**20, 3)
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    run_kernel(json.loads(text), files)
                    sys.exit()  # what it began is ended, as in any process
                for file in files:
                    os.close(file)
                asker.sendall(f"{pid}\n".encode())
                kernels[pid] = asker
                waiting.register(asker, selectors.EVENT_READ)
            elif key.fileobj == ended:
                os.read(ended, 4096)
            else:  # the one who asked has gone
                pid = next(pid for pid, asker in kernels.items() if asker is key.fileobj)
                waiting.unregister(key.fileobj)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while (gone := os.waitpid(-1, os.WNOHANG))[0]:
                asker = kernels.pop(gone[0])
                with contextlib.suppress(KeyError):
                    waiting.unregister(asker)
                with contextlib.suppress(OSError):
                    asker.sendall(f"{os.waitstatus_to_exitcode(gone[1])}\n".encode())
                asker.close()


if __name__ == "__main__":
    preload()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen(64)
        print("ready", flush=True)
        serve(listener)
