"""Threads, the GIL, Ctrl-C, forks."""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import ulna


def test_results_do_not_depend_on_threads() -> None:
    robot = ulna.load("panda")
    q, v, a = robot.sample(5000)
    one, many = ulna.Dynamics(robot, threads=1), ulna.Dynamics(robot, threads=3)
    assert one.threads == 1 and many.threads == 3 and one.with_threads(2).threads == 2
    assert one.with_threads(2).shares_code(one)
    np.testing.assert_array_equal(one.inverse(q, v, a), many.inverse(q, v, a))
    np.testing.assert_array_equal(one.mass(q), many.mass(q))
    for wrong in (lambda: ulna.Dynamics(robot, threads=-1), lambda: one.with_threads(-1)):
        with pytest.raises(ValueError, match="threads is -1"):
            wrong()


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of the process in /proc")
def test_batches_use_as_many_threads_as_asked_for() -> None:
    before = len(os.listdir("/proc/self/task"))
    one = ulna.Dynamics("panda", threads=1)
    q, v, a = one.robot.sample(4000)
    one.inverse(q, v, a)
    assert len(os.listdir("/proc/self/task")) == before
    many = one.with_threads(3)
    many.inverse(q, v, a)
    assert len(os.listdir("/proc/self/task")) == before + 2
    del many
    assert len(os.listdir("/proc/self/task")) == before


def busy_call() -> "tuple[ulna.Dynamics, tuple]":
    """Templates are slow enough for one batch to last a while."""
    dyn = ulna.Dynamics("humanoid-38", threads=1, most="none")
    return dyn, tuple(np.tile(x, (200, 1)) for x in dyn.robot.sample(200))


def test_other_threads_run_during_a_batch() -> None:
    dyn, state = busy_call()
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick, daemon=True)  # ends with the process if the call fails
    thread.start()
    start = time.perf_counter()
    dyn.forward(*state)
    end = time.perf_counter()
    done.set()
    thread.join(30)
    during = [t for t in ticks if start + 0.01 < t < end - 0.01]
    assert end - start > 0.05
    assert len(during) > 5, "the call kept the GIL"


def test_one_object_serves_several_threads() -> None:
    dyn = ulna.Dynamics("panda", threads=2)
    q, v, a = dyn.robot.sample(3000)
    expected = dyn.inverse(q, v, a)
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.array_equal(dyn.inverse(q, v, a), expected) or dyn.gravity(q.astype(np.float32)).dtype != np.float32:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not wrong and not any(t.is_alive() for t in threads)


LARGE = "humanoid-38" if "ULNA_SOAK" in os.environ else "panda"
LONG = {
    "batch": "dyn = ulna.Dynamics('humanoid-38', threads=1, most='none'); x = [np.tile(y, (3000, 1)) for y in dyn.robot.sample(50)]; say(); dyn.forward(*x)",
    "simulate": "say(); ulna.simulate('double-pendulum', {'duration': 1e5})",
    "verify": f"say(); ulna.verify('{LARGE}', samples=1000000)",
    "prove": "say(); ulna.prove('panda', 'turney', samples=1000000)",
    "study": f"say(); ulna.study('{LARGE}', 'out', samples=1000000)",
    "count": "say(); [ulna.count('panda') for _ in range(1000)]",
}


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_ends_a_long_call(call: str, tmp_path: pathlib.Path) -> None:
    # Python raises KeyboardInterrupt by a handler that it leaves out where SIGINT is ignored, and a child inherits that (from nohup, a background job, some CI).
    program = textwrap.dedent("""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        import numpy as np, ulna
        def say(): print("begun", flush=True)
        try:
            CALL
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        else:
            print("done", flush=True)
    """).replace("CALL", LONG[call])
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=tmp_path) as child:
        assert child.stdout is not None
        limit = threading.Timer(120, child.kill)  # ends every wait below
        limit.start()
        try:
            begun = child.stdout.readline()
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            answer = child.communicate(timeout=90)[0]
        finally:
            limit.cancel()
            child.kill()
    assert begun == "begun\n"
    assert answer == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


def _in_child(box: "list[ulna.Dynamics]", q: np.ndarray, pipe) -> None:
    before = len(os.listdir("/proc/self/task"))
    result = box[0].gravity(q)
    started = len(os.listdir("/proc/self/task")) - before
    box.clear()  # the second object was never used here: its pool is still the parent's
    pipe.send((result, started))
    pipe.close()


# JAX, where other tests have imported it, warns of every fork.
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of the process in /proc")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_batches_work_in_a_forked_process() -> None:
    """A child has none of its parent's threads: it starts its own, and must not wait for the others when it frees an object."""
    box = [ulna.Dynamics("panda", threads=2), ulna.Dynamics("ur5", threads=2)]
    q = box[0].robot.sample(5000)[0]
    expected = box[0].gravity(q)  # the pools are running now
    box[1].gravity(np.zeros((5000, 6)))
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(box, q, theirs))
    child.start()
    try:
        assert ours.poll(30), "the child hangs"
        result, started = ours.recv()
        np.testing.assert_array_equal(result, expected)
        assert started == 1
        child.join(30)
        assert child.exitcode == 0
    finally:
        if child.is_alive():
            child.kill()
