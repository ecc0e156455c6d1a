"""Shapes, dtypes, memory: what is taken as it is, what is converted, what is refused."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import ulna

N = 7
dyn = ulna.Dynamics("panda", threads=1)
q, v, a = dyn.robot.sample(1000)
tau = dyn.inverse(q, v, a)

CALLS = {
    "inverse": (lambda d, out=None: d.inverse(q, v, a, out=out), (N,)),
    "forward": (lambda d, out=None: d.forward(q, v, tau, out=out), (N,)),
    "bias": (lambda d, out=None: d.bias(q, v, out=out), (N,)),
    "gravity": (lambda d, out=None: d.gravity(q, out=out), (N,)),
    "mass": (lambda d, out=None: d.mass(q, out=out), (N, N)),
    "coriolis": (lambda d, out=None: d.coriolis(q, v, out=out), (N, N)),
    "regressor": (lambda d, out=None: d.regressor(q, v, a, out=out), (N, 10 * N)),
    "mass_inverse": (lambda d, out=None: d.mass_inverse(q, out=out), (N, N)),
    "pose": (lambda d, out=None: d.pose(q, "hand", out=out), (4, 4)),
    "jacobian": (lambda d, out=None: d.jacobian(q, "hand", out=out), (6, N)),
}


@pytest.mark.parametrize("name", CALLS)
def test_out_is_what_is_written_and_returned(name: str) -> None:
    call, inner = CALLS[name]
    out = np.full((1000, *inner), np.nan)
    returned = call(dyn, out)
    assert returned is out and np.isfinite(out).all()
    assert (out == call(dyn)).all()


@pytest.mark.parametrize("name", CALLS)
def test_out_may_lie_inside_a_larger_array(name: str) -> None:
    call, inner = CALLS[name]
    size = int(np.prod(inner))
    whole = np.full((1000, size + 5), np.nan)
    out = np.lib.stride_tricks.as_strided(whole[:, 2:], (1000, *inner), (whole.strides[0], *np.empty(inner).strides))
    assert call(dyn, out) is out
    assert (out == call(dyn)).all()
    assert np.isnan(whole[:, :2]).all() and np.isnan(whole[:, 2 + size :]).all(), "written beside the array"


def peak_of(call) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_arrays_are_read_where_they_lie() -> None:
    """NumPy reports its memory to tracemalloc: a copy of an argument would show."""
    big = [np.ascontiguousarray(np.tile(x, (20, 1))) for x in (q, v, a)]
    out = np.empty_like(big[0])
    dyn.inverse(*big, out=out)
    assert peak_of(lambda: dyn.inverse(*big, out=out)) < 20_000
    # The result itself, and nothing else.
    assert out.nbytes <= peak_of(lambda: dyn.inverse(*big)) < out.nbytes + 20_000
    # Rows of a wider array are not copied either; columns by steps are: the same measurement sees that.
    wide = np.zeros((20_000, 3 * N))
    wide[:, :N], wide[:, N : 2 * N], wide[:, 2 * N :] = big
    parts = wide[:, :N], wide[:, N : 2 * N], wide[:, 2 * N :]
    assert peak_of(lambda: dyn.inverse(*parts, out=out)) < 20_000
    np.testing.assert_array_equal(dyn.inverse(*parts), dyn.inverse(*big))
    by_steps = np.repeat(big[0], 2, axis=1)[:, ::2]
    assert peak_of(lambda: dyn.inverse(by_steps, *big[1:], out=out)) > by_steps.nbytes // 2


def test_read_only_inputs_are_fine() -> None:
    fixed = q.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(dyn.gravity(fixed), dyn.gravity(q))


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda x: x[::-1][::-1],
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: memoryview(x),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape),  # not aligned
        lambda x: x.astype(np.longdouble),
    ],
    ids=["fortran", "negative steps", "steps", "byte order", "lists", "memoryview", "not aligned", "long double"],
)
def test_other_layouts_give_the_same(convert) -> None:
    np.testing.assert_array_equal(dyn.inverse(convert(q), convert(v), convert(a)), tau)


def test_whole_numbers_and_mixtures_are_computed_in_double() -> None:
    ones = np.ones(N, dtype=int)
    assert dyn.gravity(ones).dtype == np.float64
    np.testing.assert_array_equal(dyn.gravity(ones), dyn.gravity(np.ones(N)))
    mixed = dyn.bias(q.astype(np.float32), v)
    assert mixed.dtype == np.float64
    np.testing.assert_array_equal(mixed, dyn.bias(q.astype(np.float32).astype(float), v))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((q[:, :6], v, a), r"q has shape \(1000, 6\), but robot 'panda' takes \(7,\) for one state or \(N, 7\) for many"),
        ((q, v[:5], a), r"v has shape \(5, 7\), but q has shape \(1000, 7\)"),
        ((q, v, a[0]), r"a has shape \(7,\), but q has shape \(1000, 7\)"),
        ((q[0], v[0], 0.0), r"a has shape \(\), but robot 'panda' takes \(7,\) for one state or \(N, 7\) for many"),
        ((0.0, v, a), r"q has shape \(\), but robot 'panda' takes"),
        ((q[None], v[None], a[None]), r"q has shape \(1, 1000, 7\)"),
    ],
)
def test_wrong_shapes_name_both(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dyn.inverse(*arguments)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (q.astype(complex), "q has dtype complex128, but must hold real numbers: float64 or float32"),
        (q > 0, "q has dtype bool"),
        (np.array(["x"] * N), "q has dtype <U1"),
        (np.array([None] * N), "q has dtype object"),
        (None, "q is None"),
    ],
)
def test_wrong_dtypes_are_named(wrong, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        dyn.gravity(wrong)


def test_out_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"out has shape \(5, 7\), but the result has shape \(1000, 7\)"):
        dyn.inverse(q, v, a, out=np.empty((5, 7)))
    with pytest.raises(TypeError, match="out has dtype float32, but the result has dtype float64"):
        dyn.inverse(q, v, a, out=np.empty((1000, 7), np.float32))
    with pytest.raises(ValueError, match="C-contiguous"):
        dyn.inverse(q, v, a, out=np.empty((7, 1000)).T)
    locked = np.empty((1000, 7))
    locked.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        dyn.inverse(q, v, a, out=locked)
    with pytest.raises(TypeError, match="NumPy array"):
        dyn.inverse(q, v, a, out=[0.0] * 7)  # type: ignore[arg-type]


def test_results_never_overwrite_inputs() -> None:
    own = q.copy()
    with pytest.raises(ValueError, match="out shares memory with q"):
        dyn.inverse(own, v, a, out=own)
    np.testing.assert_array_equal(own, q)


def test_unknown_links_are_named() -> None:
    with pytest.raises(ValueError, match="has no link 'hnad'; did you mean 'hand'"):
        dyn.pose(q, "hnad")


def test_nothing_in_nothing_out() -> None:
    for name, (_, inner) in CALLS.items():
        empty = np.empty((0, N))
        arguments = {"inverse": (empty,) * 3, "regressor": (empty,) * 3, "forward": (empty,) * 3, "bias": (empty,) * 2, "coriolis": (empty,) * 2, "pose": (empty, "hand"), "jacobian": (empty, "hand")}
        assert getattr(dyn, name)(*arguments.get(name, (empty,))).shape == (0, *inner)


def test_a_robot_that_does_not_move() -> None:
    still = ulna.Dynamics("<robot name='still'><link name='a'/></robot>")
    assert still.nv == 0
    assert still.inverse(np.empty(0), np.empty(0), np.empty(0)).shape == (0,)
    assert still.mass(np.empty((3, 0))).shape == (3, 0, 0)
    np.testing.assert_array_equal(still.pose(np.empty((2, 0)), "a"), [np.eye(4)] * 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("most", ["none", "avx512"])
def test_a_bad_state_is_nan_in_all_its_results_and_changes_no_other(dtype, most) -> None:
    d = ulna.Dynamics("panda", threads=1, most=most)
    good = [x.astype(dtype) for x in (q, v, a)]
    others = np.arange(1000) != 17
    for joint in (0, 3):  # the first one's angle enters no torque
        for number in (np.nan, np.inf, -np.inf, 2e6):
            bad = [x.copy() for x in good]
            bad[0][17, joint] = number
            got = d.inverse(*bad)
            assert np.isnan(got[17]).all()
            np.testing.assert_array_equal(got[others], d.inverse(*good)[others])
            assert np.isnan(d.mass(bad[0])[17]).all() and np.isnan(d.inverse(*(x[17] for x in bad))).all()
            assert np.isnan(d.gravity(bad[0])[17]).all()


WRONG = {
    "complex128": lambda x: np.asarray(x, complex),
    "bool": lambda x: np.asarray(x, bool),
    "object": lambda x: np.asarray(x, object),
    "<U": lambda x: np.asarray(x).astype(str),
}
free = ulna.load("ur5", base="free")
free_q, free_v, _ = free.sample(2)
closed = ulna.Dynamics("four-bar")
LOG = {"t": np.arange(5) * 0.01, "q": q[:5], "tau": tau[:5]}

#: Every call that takes numbers: the name that its message has, and a number or array that it takes.
ARGUMENTS = {
    "mass packed": ("q", lambda x: dyn.mass(x, form="packed"), q),
    "mass sparse": ("q", lambda x: dyn.mass(x, form="sparse"), q[0]),
    "loaded": ("q", lambda x: dyn.inverse(x, v, a, base_acceleration=(0, 0, 0, 0, 0, 1)), q),
    "by a formulation": ("v", lambda x: dyn.inverse(q, x, a, formulation="newton-euler"), v),
    "base_velocity": ("base_velocity", lambda x: dyn.inverse(q, v, a, base_velocity=x), np.ones(6)),
    "base_acceleration": ("base_acceleration", lambda x: dyn.forward(q, v, a, base_acceleration=x), np.ones(6)),
    "force": ("force", lambda x: dyn.bias(q, v, wrenches=[ulna.Wrench("hand", force=x)]), np.ones(3)),
    "moment": ("moment", lambda x: dyn.bias(q, v, wrenches=[ulna.Wrench("hand", moment=x)]), np.ones(3)),
    "payload's mass": ("mass", lambda x: dyn.with_payload("hand", x), np.float64(2)),
    "payload's com": ("com", lambda x: dyn.with_payload("hand", 1, com=x), np.ones(3)),
    "payload's inertia": ("inertia", lambda x: dyn.with_payload("hand", 1, inertia=x), np.eye(3)),
    "linearise": ("v", lambda x: dyn.linearise(q[0], x, tau[0]), v[0]),
    "derivative's state": ("v", lambda x: ulna.Derivative("panda", "inverse")(q[0], x, a[0]), v[0]),
    "derivative's x": ("x", lambda x: ulna.Derivative("panda", "gravity", times=True)(q[0], x=x), v[0]),
    "derivative's y": ("y", lambda x: ulna.Derivative("panda", "gravity", weights=True)(q[0], y=x), v[0]),
    "derivative's payload": ("payload", lambda x: ulna.Derivative("panda", "gravity", "payload", link="hand")(q[0], payload=x), np.ones(4)),
    "regressor with drives": ("a", lambda x: dyn.robot.regressor(q, v, x), a),
    "integrate": ("v", lambda x: free.integrate(free_q, x), free_v),
    "integrate's dt": ("dt", lambda x: free.integrate(free_q, free_v, x), np.float64(0.1)),
    "difference": ("q1", lambda x: free.difference(free_q, x), free_q),
    "normalize": ("q", free.normalize, free_q),
    "translate": ("v", lambda x: free.translate(free_q, x), free_v),
    "gravity of a model": ("gravity", lambda x: ulna.load("planar-2r", gravity=x), np.ones(3)),
    "lock": ("lock of 'joint7'", lambda x: ulna.load("panda", lock={"joint7": x}), np.float64(0.3)),
    "close": ("q", closed.close, np.ones(1)),
    "residual": ("q", closed.robot.residual, np.ones(3)),
    "speeds of the tree": ("v", lambda x: closed.robot.tree_motion([0.3], x), np.ones(1)),
    "reactions": ("a", lambda x: closed.robot.reactions([0.3], [0.0], x), np.ones(1)),
    "explain": ("tau", lambda x: ulna.explain("panda", {"q": q, "v": v, "a": a, "tau": x}), tau),
    "override": ("duration", lambda x: ulna.simulate("double-pendulum", {"duration": x}), np.float64(1)),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_argument_holds_real_numbers(name: str) -> None:
    argument, call, good = ARGUMENTS[name]
    call(good)
    if name not in ("normalize", "difference"):  # whose quaternions are no whole numbers
        call(good.astype(int))
    for dtype, convert in WRONG.items():
        wrong = convert(good)
        for given in (wrong, wrong.tolist() if dtype != "object" else wrong):
            with pytest.raises(TypeError, match=f"^{argument} has dtype {dtype}.*, but must hold real numbers"):
                call(given)
    with pytest.raises(TypeError):
        call("abc")


@pytest.mark.parametrize("key", LOG)
def test_logs_hold_real_numbers(key: str) -> None:
    for dtype, convert in WRONG.items():
        with pytest.raises(TypeError, match=f"^{key} has dtype {dtype}"):
            ulna.identify(dyn.robot, {**LOG, key: convert(LOG[key])})


@pytest.mark.parametrize("form", ["packed", "sparse"])
def test_forms_of_the_mass_matrix_take_what_others_take(form: str) -> None:
    wanted = dyn.mass(q, form=form)
    for given in (q.tolist(), np.asfortranarray(q), q.astype(">f8"), np.repeat(q, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(dyn.mass(given, form=form), wanted)
    assert dyn.mass(q[:0], form=form).shape == (0, wanted.shape[1])
    assert dyn.mass(q.astype(np.float32), form=form).dtype == np.float32
    assert dyn.mass(np.ones(N, int), form=form).dtype == np.float64
    for wrong in (q[:, :6], 0.0, q[None]):
        with pytest.raises(ValueError, match="but robot 'panda' takes"):
            dyn.mass(wrong, form=form)
    with pytest.raises(TypeError, match="q is None"):
        dyn.mass(None, form=form)
