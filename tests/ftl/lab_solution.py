"""A solution of the lab: what the forty lines of the chapter leave to do."""

from forty_lines import Drive as FortyLines


class Drive(FortyLines):
    def __init__(self, user_pages, blocks, pages, policy="greedy"):
        super().__init__(user_pages, blocks, pages)
        self.policy = policy

    def live(self, block):
        slots = range(block * self.pages, (block + 1) * self.pages)
        return sum(self.slot_of[self.page_in[slot]] == slot for slot in slots)

    def clean(self, oldest):
        if self.policy == "greedy":
            self.full.appendleft(oldest)
            oldest = min(self.full, key=self.live)
            self.full.remove(oldest)
        super().clean(oldest)

    def trim(self, page):
        self.slot_of[page] = -1


def write_amplification(drive, requests):
    before = drive.copies
    for page in requests:
        drive.write(page)
    return 1 + (drive.copies - before) / len(requests)


class TwoOpenBlocks(Drive):
    """Pages and their copies stay with their kind; the emptiest block is cleaned."""

    BLANK = 3  # cleaning may open a block of each kind before it gives one back

    def __init__(self, user_pages, blocks, pages):
        super().__init__(user_pages, blocks, pages)
        self.is_hot, self.turned = [False] * user_pages, False
        self.other = self.free.popleft(), 0

    def write(self, page, hot=False):
        self.is_hot[page] = hot
        while len(self.free) < self.BLANK:
            self.clean(self.full.popleft())
        self.program(page)

    def program(self, page):
        if self.is_hot[page] != self.turned:
            self.turned = not self.turned
            here = self.open, self.used
            (self.open, self.used), self.other = self.other, here
        super().program(page)
