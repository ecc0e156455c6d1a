"""A million states from one Python call, beside the C++ batch and a Python loop over Pinocchio's wheel: `make bench`, or `make bench-python` for this alone.

All on one thread and on the same states, in turns; times are the least of all turns, per state. "call" is `tau = dyn.inverse(q, v, a)`, which makes a new array each time;
"out=" writes to one that is there. The loop calls Pinocchio's functions by local names and computes in doubles. Results are compared first: with C++ bit by bit, with
Pinocchio to 1e-9 of the largest. Exit status 1 when they differ; bars that are missed are told.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from typing import Any

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
EXTENSION = REPOSITORY / "build" / "python-ext"
sys.path[:] = [p for p in sys.path if pathlib.Path(p).resolve() != REPOSITORY / "python"]  # the installed package, not the sources beside this file
AT_MOST, AT_LEAST = 1.3, 100.0  # times the C++ batch; times as fast as the loop
IMPORT_BAR, WHEEL_BAR = 50.0, 3e6  # [ms], [bytes]
CALL_BARS = {"out=": 0.45, "bound": 0.15, "with_payload": 60.0}  # [µs] of processor time, of one state
LOOP_STATES = 20_000


def first_line(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def processor() -> str:
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def compiler() -> str:
    """The one that made extension and batch program, and its options."""
    kept = dict(line.split("=", 1) for line in (EXTENSION / "CMakeCache.txt").read_text().splitlines() if "=" in line and line[:1] not in "#/")
    named = {key.split(":")[0]: value for key, value in kept.items()}
    return f"{first_line(named.get('CMAKE_CXX_COMPILER', 'c++'), '--version')}, {named.get('CMAKE_CXX_FLAGS_RELEASE', '')}"


def batch_program() -> str:
    """The C++ side, compiled beside the extension."""
    subprocess.run(["cmake", "--build", str(EXTENSION), "--target", "bench_batch"], check=True, stdout=subprocess.DEVNULL)
    return str(EXTENSION / "bench_batch")


def python_with_pinocchio() -> str | None:
    for python in (os.environ.get("ULNA_PINOCCHIO_PYTHON", ""), *glob.glob(str(REPOSITORY / "build" / "peers" / "bin" / "python3"))):
        if python and subprocess.run([python, "-c", "import pinocchio"], capture_output=True).returncode == 0:
            return python
    return None


def import_time() -> float:
    """Of a fresh interpreter [ms], the least of ten."""
    code = "import time; t = time.perf_counter(); import ulna; print(1e3 * (time.perf_counter() - t))"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/").stdout) for _ in range(10))


def measure(robot: Any, states: Any, turns: int, pinocchio: str | None) -> tuple[dict[str, dict[str, dict[str, float]]], str]:
    """Least times [ns per state] by dtype, task and way; and Pinocchio's version. Ends the program when results differ."""
    import numpy as np

    import ulna

    dyn, batch, count = ulna.Dynamics(robot, threads=1), batch_program(), len(states[0])
    least: dict[str, dict[str, dict[str, float]]] = {dtype: {"inverse": {}, "forward": {}} for dtype in ("float64", "float32")}
    version, loop_states = "", min(count, LOOP_STATES)

    def note(dtype: str, way: str, inverse: float, forward: float) -> None:
        for task, ns in (("inverse", inverse), ("forward", forward)):
            least[dtype][task][way] = min(least[dtype][task].get(way, float("inf")), ns)

    def calls(dtype: str, way: str, given: Any, tau: Any = None, acc: Any = None) -> None:
        q, v, a = given
        for _ in range(3):
            t0 = time.perf_counter()
            torques = dyn.inverse(q, v, a, out=tau)
            t1 = time.perf_counter()
            accelerations = dyn.forward(q, v, torques, out=acc)
            t2 = time.perf_counter()
            note(dtype, way, 1e9 * (t1 - t0) / count, 1e9 * (t2 - t1) / count)
            results[dtype] = {"tau": torques, "acc": accelerations}

    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        kept, urdf = os.path.join(folder, "states"), os.path.join(folder, "robot.urdf")
        np.concatenate(states).tofile(kept)
        if pinocchio:
            with open(urdf, "w", encoding="utf-8") as file:
                file.write(robot.to_urdf())
        for _ in range(turns):
            for dtype in least:
                done = subprocess.run([batch, robot.name, kept, str(count), "3", dtype], check=True, capture_output=True, text=True)
                note(dtype, "C++", *map(float, done.stdout.split()))
                given = [x.astype(dtype, copy=False) for x in states]
                calls(dtype, "call", given)
                calls(dtype, "out=", given, np.empty_like(given[0]), np.empty_like(given[0]))
                for name, ours in results[dtype].items():
                    if not np.array_equal(np.fromfile(f"{kept}.{name}", dtype).reshape(ours.shape), ours):
                        sys.exit(f"C++ and Python differ in {name}, {dtype}")
            if pinocchio:
                call = [pinocchio, str(REPOSITORY / "python" / "bench_pinocchio.py"), urdf, ",".join(map(str, robot.gravity)), kept, str(loop_states), str(count), "3"]
                version, *times = subprocess.run(call, check=True, capture_output=True, text=True).stdout.split()
                for dtype in least:
                    note(dtype, "loop over Pinocchio", *map(float, times))
                for name, ours in results["float64"].items():
                    theirs = np.load(f"{kept}.pin.npz")[name]
                    if not np.allclose(theirs, ours[:loop_states], rtol=0, atol=1e-9 * np.abs(theirs).max()):
                        sys.exit(f"Pinocchio and Ulna differ in {name}")
    return least, version


def one_state(robot: Any, calls: int = 1_000_000, turns: int = 5) -> dict[str, float]:
    """Processor time of one call [µs], the least of some turns: `out=`, bound, and another payload."""
    import numpy as np

    import ulna

    dyn, (q, v, a) = ulna.Dynamics(robot, threads=1), (np.ascontiguousarray(x[0]) for x in robot.sample(1))
    tau, link = np.empty_like(v), robot.links[-1].name
    step = dyn.bind("inverse", q, v, a, tau)

    def with_out(count: int) -> None:
        for _ in range(count):
            dyn.inverse(q, v, a, out=tau)

    def bound(count: int) -> None:
        for _ in range(count):
            step()

    def payload(count: int) -> None:
        for _ in range(count):
            dyn.with_payload(link, 1.5, (0, 0, 0.08))

    def least(call: Any, count: int) -> float:
        times = []
        for _ in range(turns):
            start = time.process_time()
            call(count)
            times.append(1e6 * (time.process_time() - start) / count)
        return min(times)

    return {"out=": least(with_out, calls), "bound": least(bound, calls), "with_payload": least(payload, max(calls // 1000, 1))}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--robot", default="panda", help="a built-in robot")
    options.add_argument("--states", type=int, default=1_000_000)
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    asked = options.parse_args()

    import numpy as np

    import ulna

    robot = ulna.load(asked.robot)
    load = os.getloadavg()[0]
    least, pinocchio = measure(robot, robot.sample(asked.states), asked.turns, python_with_pinocchio())
    machine = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "load before": round(load, 2),
        "system": f"{platform.system()} {platform.release()}",
        "compiler": compiler(),
        "instruction set": ulna.Dynamics(robot).instruction_set,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "ulna": ulna.__version__,
        "pinocchio": pinocchio or "not installed (tools/setup --peers)",
    }
    rows: list[dict[str, Any]] = []
    for dtype, tasks in least.items():
        for task, times in tasks.items():
            row: dict[str, Any] = {"task": task, "dtype": dtype, "ns_per_state": times, "to_cpp": times["call"] / times["C++"], "cpp_bar": AT_MOST}
            if pinocchio:
                row |= {"speed_up": times["loop over Pinocchio"] / times["call"], "loop_bar": AT_LEAST}
            rows.append(row)
    wheels = glob.glob(str(REPOSITORY / "build" / "wheel" / "*.whl"))
    package: dict[str, Any] = {"import_ms": import_time(), "import_bar": IMPORT_BAR, "wheel_bytes": max(map(os.path.getsize, wheels), default=None), "wheel_bar": WHEEL_BAR}
    calls = one_state(robot)
    if asked.json:
        print(json.dumps({"robot": robot.name, "states": asked.states, "machine": machine, "results": rows, "one_state_us": calls, "package": package}, indent=1))
        return 0
    print(f"Python: {robot.name}, {asked.states} states in one call, one thread; ns per state, least of {asked.turns} turns of 3")
    for key, value in machine.items():
        print(f"  {key:16s}{value}")

    def verdict(good: bool) -> str:
        return "" if good else "  MISSED"

    for row in rows:
        print(f"\n{row['task']}, {row['dtype']}:" + "".join(f"  {way} {ns:.1f}" for way, ns in row["ns_per_state"].items()))
        print(f"  the call takes {row['to_cpp']:.2f} times the C++ batch (bar: at most {AT_MOST}){verdict(row['to_cpp'] <= AT_MOST)}")
        if pinocchio:
            print(f"  and is {row['speed_up']:.1f} times as fast as the loop (bar: at least {AT_LEAST:g}){verdict(row['speed_up'] >= AT_LEAST)}")
    print("\none state, processor time in µs:")
    for way, bar in CALL_BARS.items():
        print(f"  {way} {calls[way]:.3g} (bar: at most {bar:g}){verdict(calls[way] <= bar)}")
    print(f"\nimport ulna: {package['import_ms']:.1f} ms (bar: under {IMPORT_BAR:g}){verdict(package['import_ms'] < IMPORT_BAR)}")
    if wheels:
        print(f"wheel: {package['wheel_bytes']} bytes (bar: under {WHEEL_BAR:.0f}){verdict(package['wheel_bytes'] < WHEEL_BAR)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
