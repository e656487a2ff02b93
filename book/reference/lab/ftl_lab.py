"""A flash translation layer in five steps. Write the bodies; `pytest -x` says how far you are.

Blocks and the slots in them are numbered from 0: slot = block * pages + place in the block.
The tests read the four attributes of `Drive`. Add what else you need.
"""


class Drive:
    """A drive that writes each page into the next blank slot, and cleans a block when it must.

    Parameters
    ----------
    user_pages : int
        Pages that the host can write, numbered from 0.
    blocks, pages : int
        Blocks of the drive, and pages in each. There is room for more than the user's pages.
    policy : str
        Which full block is cleaned: "greedy" or "fifo" (step 4).

    Attributes
    ----------
    slot_of : list of int
        The map: by page of the user, the slot that holds it; -1 if none does.
    page_in : list of int
        The labels: by slot, the page last programmed into it. Those of stale pages may stay.
    erases : list of int
        By block, how often it was erased.
    copies : int
        Pages that cleaning has copied.
    """

    def __init__(self, user_pages, blocks, pages, policy="greedy"):
        raise NotImplementedError("step 1")

    def write(self, page):
        """Program a page of the user into the next slot of the open block (step 1).

        Blank blocks are opened in the order in which they became blank: first 0, 1, 2. A new one is
        opened when a page is to be programmed and the open block is full. If that leaves no block
        blank, the drive cleans full blocks until one is, and then programs the page (step 2).
        """
        raise NotImplementedError("step 1")

    def live(self, block):
        """Return how many slots of a block hold what the map still points to (step 2)."""
        raise NotImplementedError("step 2")

    def clean(self):
        """Choose a full block, copy its live pages in their order, and erase it (step 2).

        Copies go where writes go: into the open block. Greedy chooses the full block with the
        fewest live pages, and of several the one that was filled first. FIFO chooses the one that
        was filled first, whatever it holds (step 4).
        """
        raise NotImplementedError("step 2")

    def trim(self, page):
        """Forget a page: the host does not need it any more (step 3).

        Nothing is programmed or erased. A page that was never written may be trimmed too.
        """
        raise NotImplementedError("step 3")


def write_amplification(drive, requests):
    """Write the pages of `requests`; return the pages programmed for each of them (step 4)."""
    raise NotImplementedError("step 4")


class TwoOpenBlocks(Drive):
    """A drive with one open block for hot pages and one for cold (step 5).

    How it cleans, where copies go and how many blocks it keeps blank is for you to choose.
    """

    def __init__(self, user_pages, blocks, pages):
        raise NotImplementedError("step 5")

    def write(self, page, hot=False):
        """Program a page into the open block of its kind."""
        raise NotImplementedError("step 5")
