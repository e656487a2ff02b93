"""Small drives and loads on them, for hypothesis and by hand."""

from hypothesis import strategies as st

from flashwear.drives import Drive
from flashwear.queueing.requests import Access

MIB = 1 << 20
US = 1e-6
READS, WRITES = Access(read_share=1.0), Access()


def drive(**changes) -> Drive:
    """Return a drive of two dies and 40 superblocks whose times are easy to add up."""
    settings = {  # 10 us of the channel for 4 KiB, and 8 us of the link
        "name": "small", "user_bytes": 12 * MIB, "dies": 2, "planes": 1, "page_bytes": 16_384,
        "pages_per_block": 16, "blocks_per_plane": 40, "channels": 1,
        "channel_bytes_per_s": 409.6e6, "read_s": 100e-6, "program_s": (1e-3,), "erase_s": 3e-3,
        "link_bytes_per_s": 512e6, "link_overhead_s": 1e-6, "read_command_s": 3e-6,
        "write_command_s": 4e-6, "buffer_bytes": 2 * MIB,
    }  # fmt: skip
    return Drive(**settings | changes)


def slc(**changes) -> Drive:
    """Return this drive with an SLC cache of a third of its superblocks."""
    cache = {"cache_share": 0.34, "slc_read_s": 30e-6, "slc_program_s": 300e-6}
    return drive(**cache | changes)


@st.composite
def caches(draw):
    kind = draw(st.sampled_from(["static", "dynamic", "dynamic", "hybrid"]))
    own = draw(st.integers(1, 4)) if kind in ("static", "hybrid") else 0
    share = draw(st.floats(0.1, 1)) if kind in ("dynamic", "hybrid") else 0.0
    return {"bits_per_cell": draw(st.integers(2, 4)), "cache_own_blocks": own, "cache_share": share,
            "cache_direct": draw(st.booleans()),
            "cache_fold_to": draw(st.sampled_from([1.0, 1.0, 0.5, 0.0]) | st.floats(0, 1)),
            "cache_idle_s": draw(st.sampled_from([None, 1e-9, 1e-5, 1e-4, 1e-3])),
            "slc_read_s": draw(st.integers(1, 60)) * 1e-6,
            "slc_program_s": draw(st.integers(1, 60)) * 1e-6,
            "slc_wear": draw(st.sampled_from([0.1, 1.0]))}  # fmt: skip


@st.composite
def drives(draw, cache=None):
    """Drives of one to five dies with anything switched on or off, with a cache drawn if given."""
    dies, planes = draw(st.integers(1, 5)), draw(st.integers(1, 2))
    slc_cache = {} if cache is None else draw(cache)
    bits = slc_cache.get("bits_per_cell", 1)
    pages, page_bytes = draw(st.integers(2, 6)), draw(st.sampled_from([4096, 8192, 16_384]))
    pages = max(pages, bits * (2 if dies == 1 else 1))
    unit = planes * page_bytes // 4096
    programs = dies * pages
    stripe = min(draw(st.sampled_from([0, 0, 1, 3, 7])), programs - 1)
    if stripe:
        programs -= -(-programs // (stripe + 1))
    in_cache = dies * (pages // bits)
    if stripe:
        in_cache -= -(-in_cache // (stripe + 1))
    if min(programs, in_cache) < 2:
        stripe, programs = 0, dies * pages
    low = draw(st.sampled_from([2, 3, 3.5]))
    high = low + draw(st.sampled_from([0.5, 1, 3]))
    full = draw(st.integers(3, 12))
    blocks = full + 2 + int(-(-high // 1)) + draw(st.integers(1, 6))
    blocks += slc_cache.get("cache_own_blocks", 0) + (not slc_cache.get("cache_direct", True))
    user = full * programs * unit - draw(st.integers(0, unit))
    microseconds = st.integers(1, 60).map(lambda n: n * 1e-6)
    kinds = 3 if cache is None else min(3, bits)
    program_s = tuple(draw(st.lists(microseconds, min_size=1, max_size=kinds)))
    return Drive(name="drawn",
                 user_bytes=max(user, 300) * 4096 if user >= 300 else max(1, user) * 4096,
                 dies=dies, planes=planes, page_bytes=page_bytes, pages_per_block=pages,
                 blocks_per_plane=blocks, channels=draw(st.integers(1, 3)),
                 channel_bytes_per_s=draw(st.sampled_from([200e6, 409.6e6, 1e9])),
                 channel_overhead_s=draw(st.sampled_from([0.0, 1e-6])), read_s=draw(microseconds),
                 program_s=program_s, erase_s=draw(microseconds) * 3, stripe=stripe,
                 map_cache_bytes=draw(st.sampled_from([None, None, 4096])),
                 suspend_s=draw(st.sampled_from([None, 0.0, 5e-6])),
                 reads_first=draw(st.booleans()),
                 link_bytes_per_s=draw(st.sampled_from([512e6, 2e9])),
                 link_overhead_s=draw(microseconds) / 10,
                 queue_limit=draw(st.sampled_from([4, 32])), read_command_s=draw(microseconds) / 10,
                 write_command_s=draw(microseconds) / 10,
                 read_unit_s=draw(st.sampled_from([0.0, 0.7e-6])),
                 write_unit_s=draw(st.sampled_from([0.0, 0.9e-6])),
                 copy_s=draw(st.sampled_from([0.0, 0.0, 1e-6])),
                 buffer_bytes=draw(st.sampled_from([260, 300, 1000])) * 4096,
                 buffer_age_s=draw(st.sampled_from([1e-5, 1e-3])),
                 programs_per_die=draw(st.integers(1, 3)), copies_per_die=draw(st.integers(1, 3)),
                 policy=draw(st.sampled_from(["greedy", "fifo", "random", "d_choices"])),
                 low_blocks=low, high_blocks=high,
                 **({"bits_per_cell": max(2, len(program_s))} | slc_cache))  # fmt: skip


@st.composite
def accesses(draw, user_bytes):
    """Loads of any size and mix that the drive holds."""
    most = max(1, min(2048, user_bytes // 512))
    sectors = draw(st.sampled_from([1, 8, 8, 8, 16]) | st.integers(1, most))
    sectors = min(sectors, most)
    return Access(size=sectors * 512,
                  order=draw(st.sampled_from(["random", "random", "sequential"])),
                  read_share=draw(st.sampled_from([0.0, 0.0, 0.3, 1.0])),
                  align=draw(st.sampled_from([None, 512, 4096])),
                  rate=draw(st.sampled_from([None, None, 1e3, 1e5])))  # fmt: skip
