"""The error that each closed form states, at the corners of the domain for which it states it.

Drives have 4,096 blocks, as where the errors were stated, and formulas are given the
over-provisioning that they know (see test_closed_forms). Runs are so long that their standard error
is below a third of what is allowed.
"""

import inspect
from pathlib import Path

import numpy as np
import pytest

from flashwear import wa
from flashwear.ftl import simulate
from flashwear.workloads import HotCold
from flashwear_book.runs import kept_result

TESTS = Path(__file__).parents[1]
LITTLE, MUCH = 0.05, 1.0
NOISE = (-0.0015, 0.0015)


def drive(policy, pages, op, writes, *, load=None, warm=8, **settings):
    user = int(4096 * pages / (1 + op))
    more = {"workload": HotCold(*load)} if load else {}
    return simulate(user, op, pages_per_block=pages, policy=policy, fill="random", seed=3,
                    warmup_drive_writes=warm, drive_writes=writes, history_stride=user // 20,
                    progress=False, **more, **settings)  # fmt: skip


ENDS = ((4, LITTLE), (4, MUCH), (256, LITTLE), (256, MUCH))


def ends(*writes):
    return [(*end, length) for end, length in zip(ENDS, writes, strict=True)]


# form, its arguments after op, the drive, and the stated error, form over simulation less 1
CORNERS = [
    *(("fifo", (), ("fifo", *end), {}, (-0.0014, 0.0014)) for end in ends(60, 600, 10, 40)),
    *(("greedy", end[:1], ("greedy", *end), {}, (-0.0009, 0.0009))
      for end in ends(200, 2000, 10, 40)),
    *(("random", (), ("random", *end), {}, NOISE)
      for end in [(4, LITTLE, 300), (4, MUCH, 3000), (64, LITTLE, 100), (64, MUCH, 600)]),
    *(("d_choices", (d, end[0]), ("d_choices", *end), {"d": d}, (-most, most))
      for d, most in [(2, 0.0022), (30, 0.0009)] for end in ends(200, 800, 10, 40)),
    *(("d_choices_mixed", (d, pages, hot, 1 - hot), ("d_choices", pages, op, writes),
       {"d": d, "load": (hot, 1 - hot), "warm": 20}, (-0.0019, 0.0019))
      for d in (2, 30) for hot in (0.8, 0.95)
      for pages, op, writes in [(16, LITTLE, 100), (64, LITTLE, 40), (64, MUCH, 200)]),
    *(("fifo_mixed", load, ("fifo", 4, op, writes), {"load": load, "warm": 60}, NOISE)
      for load in ((0.95, 0.05), wa.JESD219) for op, writes in [(LITTLE, 300), (MUCH, 600)]),
    *(("greedy_mixed", (*load, pages), ("greedy", pages, op, writes), {"load": load, "warm": 40},
       {16: (-0.12, 0.04), 64: (-0.051, 0.011), 256: (-0.012, 0.004)}[pages])
      for load in ((0.8, 0.2), (0.9, 0.05), wa.JESD219)
      for pages, op, writes in [(16, LITTLE, 60), (16, 0.28, 60), (64, 0.051, 30), (64, MUCH, 100),
                                (256, 0.051, 10), (256, MUCH, 40)]),
    ("greedy_mixed", (0.9, 0.1, 16), ("greedy", 16, 0.071, 60), {"load": (0.9, 0.1), "warm": 40},
     (-0.12, -0.11)),
    ("agarwal_marrow", (), ("greedy", 64, 0.0505, 60), {}, (0.135, 0.145)),
    ("agarwal_marrow", (), ("greedy", 256, 0.5, 20), {}, (-0.125, -0.115)),
    ("agarwal_marrow", (), ("greedy", 4, 0.0508, 200), {}, (2.06, 2.1)),
    ("xiang_kurkoski", (), ("greedy", 256, 0.0503, 10), {}, (0.035, 0.045)),
    ("xiang_kurkoski", (), ("greedy", 64, MUCH, 100), {}, (0.0125, 0.0135)),
    ("xiang_kurkoski", (), ("greedy", 4, 0.0508, 200), {}, (2.11, 2.15)),
]  # fmt: skip

BELOW = {"after_fill", "from_blank", "transient_mixed", "trim_op", "fifo_small_op", "map_traffic"}
ELSEWHERE = {
    "trim_occupancy": "ftl/test_closed_forms.py", "trim_variance": "ftl/test_closed_forms.py",
    "slc_cache": "ftl/test_cache.py", "slc_dynamic_wear": "ftl/test_cache.py",
    "slc_waf": "wa/test_cache.py", "slc_static_tbw": "wa/test_cache.py",
    "greedy_desnoyers": "wa/test_uniform.py", "square_root_split": "wa/test_skew.py",
    "square_root_wa": "wa/test_skew.py", "separated": "wa/test_skew.py",
    "parity_op": "wa/test_parity.py", "parity_factor": "wa/test_parity.py",
    "map_unit_factor": "wa/test_map_unit.py", "op_for": "wa/test_inverse.py",
    "settled": "wa/test_transient.py",
}  # fmt: skip


def test_every_closed_form_is_held_to_what_it_states_here_or_elsewhere():
    forms = {name for name in wa.__all__ if inspect.isfunction(getattr(wa, name))}
    assert forms == {form for form, *_ in CORNERS} | BELOW | set(ELSEWHERE)
    for form, file in ELSEWHERE.items():
        assert f"{form}(" in (TESTS / file).read_text(), form


QUICK = {(form, *where[1:3]) for form, _, where, *_ in CORNERS if where[1] < 64}


@pytest.mark.parametrize(("form", "arguments", "where", "more", "error"), [
    pytest.param(*row, id=f"{row[0]}-{'-'.join(map(str, row[2][1:3]))}-{number}",
                 marks=() if (row[0], *row[2][1:3]) in QUICK else pytest.mark.proof)
    for number, row in enumerate(CORNERS)])  # fmt: skip
def test_a_form_is_as_far_off_as_it_states(form, arguments, where, more, error):
    run = drive(*where, **more)
    low, high = error
    assert low < getattr(wa, form)(run.effective_op, *arguments) / run.wa - 1 < high


def course(op, pages, policy, fill, writes, load=None):
    """Return host writes and pages programmed since the fill, over user pages, and the spare."""
    user = 8_000_000 if pages > 64 else 1_000_000
    more = {"workload": HotCold(*load)} if load else {}
    run = simulate(user, op, pages_per_block=pages, policy=policy, fill=fill, warmup_drive_writes=0,
                   drive_writes=writes, history_stride=user // 200, seed=8, progress=False,
                   **more)  # fmt: skip
    host, flash = (np.append(0, part).cumsum() / user - (fill != "none")
                   for part in (run.history_host, run.history_flash))  # fmt: skip
    return host, flash.clip(0), run.state.op - run.history_blank[-100:].mean() / user


def off(host, flash, told):
    """Return the root mean square error of a form in windows of a tenth of a drive write."""
    edges = np.arange(0, host[-1], 0.1)
    seen, form = (np.diff(np.interp(edges, x, flash)) for x in (host, told))
    return np.sqrt(np.mean((form / seen - 1) ** 2))


BLOCKS = [(4, "fifo", 0.005), pytest.param(8192, "greedy", 0.01, marks=pytest.mark.proof)]


@pytest.mark.parametrize("fill", ["sequential", "none"])
@pytest.mark.parametrize(("op", "writes"), [(LITTLE, 3), (3.0, 12)])
@pytest.mark.parametrize(("pages", "policy", "most"), BLOCKS)
def test_even_writes_take_the_course_of_the_form_in_any_blocks_in_turn_and_in_large_ones_greedily(
    op, writes, fill, pages, policy, most
):
    host, flash, spare = course(op, pages, policy, fill, writes)
    form = wa.from_blank if fill == "none" else wa.after_fill
    assert off(host, flash, form(spare, flash).drive_writes) < most


@pytest.mark.parametrize("fill", ["in order", "spread"])
@pytest.mark.parametrize(("op", "writes"), [(0.03, 1), (3.0, 12)])
@pytest.mark.parametrize(
    ("pages", "policy", "most"),
    [(64, "fifo", 0.005), pytest.param(8192, "greedy", 0.03, marks=pytest.mark.proof)],
)
def test_skewed_writes_take_the_course_of_the_form_beyond_the_spare_flash_of_the_kept_runs(
    op, writes, fill, pages, policy, most
):
    load, order = (0.95, 0.05), {"in order": "sequential", "spread": "random"}[fill]
    host, flash, spare = course(op, pages, policy, order, writes, load)
    told = wa.transient_mixed(spare, flash, *load, fill=fill, policy=policy)
    assert off(host, flash, told.drive_writes) < most
    assert kept_result("skewed_turn").table.off_fifo.max() < 0.005
    greedy = kept_result("skewed_greedy").table.query("frontier == 'single'")
    assert greedy[greedy.pages_per_block == 8192].off_greedy.max() < 0.03


@pytest.mark.parametrize(("share", "op"), [(0.02, LITTLE), (0.45, LITTLE), (0.4, MUCH)])
def test_few_trims_and_nearly_as_many_as_writes_leave_the_models_as_exact(share, op):
    # shares and spare flash between are in the kept runs
    run = drive("fifo", 16, op, 300, trim_share=share)
    assert wa.fifo(wa.trim_op(run.effective_op, share)) == pytest.approx(run.wa, rel=0.0014)


def test_the_formula_for_little_spare_flash_is_low_by_what_it_states():
    spare, low = np.array([0.07, 0.28, 1.0]), [0.001, 0.012, 0.07]
    assert 1 - wa.fifo_small_op(spare) / wa.fifo(spare) == pytest.approx(low, abs=0.0005)


def test_traffic_of_a_map_is_as_far_off_in_the_kept_runs_as_stated():
    wide, limits = (kept_result(name).table for name in ("map_cache", "map_cache_limits"))
    for host_reads, most in ((0.0, 0.05), (0.5, 0.14)):
        rows = wide[wide.read_share == host_reads]
        assert rows[["off_reads", "off_writes"]].abs().max().max() < most
    assert wide.off_missed.between(-0.05, 0.245).all()
    assert wide.off_wa.between(-0.001, 0.052).all()
    assert limits.off_missed.between(-0.05, 0.46).all()
    assert limits.off_writes.between(-0.05, 1.33).all()
    assert limits.off_wa.between(-0.001, 0.154).all()
