"""How much memory a piece of code takes."""

import tracemalloc


class Traced:
    """Keep the most bytes that Python held at once inside of a `with`."""

    def __enter__(self):
        tracemalloc.start()
        return self

    def __exit__(self, *_):
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
