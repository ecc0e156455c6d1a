"""A million states from one Python call, beside the C++ batch and a Python loop over Pinocchio's wheel: `make bench-python`.

All on one thread and on the same states, in turns; times are the least of all turns, per state. Results are compared first: with C++ bit by bit, with Pinocchio to
1e-9 of the largest. Exit status 1 when they differ; bars that are missed are told.
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

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path[:] = [p for p in sys.path if pathlib.Path(p).resolve() != REPOSITORY / "python"]  # the installed package, not the sources beside this file
AT_MOST, AT_LEAST = 1.3, 100.0  # times the C++ batch; times as fast as the loop


def processor() -> str:
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def program() -> str:
    """The C++ side, compiled beside the extension."""
    folder = REPOSITORY / "build" / "python-ext"
    subprocess.run(["cmake", "--build", str(folder), "--target", "bench_batch"], check=True, stdout=subprocess.DEVNULL)
    return str(folder / "bench_batch")


def python_with_pinocchio() -> str | None:
    for python in (os.environ.get("ULNA_PINOCCHIO_PYTHON", ""), *glob.glob(str(REPOSITORY / "build" / "peers" / "bin" / "python3"))):
        if python and subprocess.run([python, "-c", "import pinocchio"], capture_output=True).returncode == 0:
            return python
    return None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--robot", default="panda")
    options.add_argument("--states", type=int, default=1_000_000)
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    asked = options.parse_args()

    import numpy as np

    import ulna

    robot = ulna.load(asked.robot)
    dyn = ulna.Dynamics(robot, threads=1)
    states = robot.sample(asked.states)
    tau, acc = np.empty_like(states[0]), np.empty_like(states[0])
    batch, pinocchio = program(), python_with_pinocchio()
    loop_states = min(asked.states, 20_000)
    least: dict[str, dict[str, float]] = {"inverse": {}, "forward": {}}

    def note(who: str, inverse: float, forward: float) -> None:
        for task, ns in (("inverse", inverse), ("forward", forward)):
            least[task][who] = min(least[task].get(who, float("inf")), ns)

    version = ""
    with tempfile.TemporaryDirectory() as folder:
        kept, urdf = os.path.join(folder, "states"), os.path.join(folder, "robot.urdf")
        np.concatenate(states).tofile(kept)
        if pinocchio:
            with open(urdf, "w", encoding="utf-8") as file:
                file.write(robot.to_urdf())
        for _ in range(asked.turns):
            note("C++", *map(float, subprocess.run([batch, asked.robot, kept, str(asked.states), "3"], check=True, capture_output=True, text=True).stdout.split()))
            for _ in range(3):
                t0 = time.perf_counter()
                dyn.inverse(*states, out=tau)
                t1 = time.perf_counter()
                dyn.forward(states[0], states[1], tau, out=acc)
                t2 = time.perf_counter()
                note("Python", 1e9 * (t1 - t0) / asked.states, 1e9 * (t2 - t1) / asked.states)
            if pinocchio:
                call = [pinocchio, str(REPOSITORY / "python" / "bench_pinocchio.py"), urdf, ",".join(map(str, robot.gravity)), kept, str(loop_states), str(asked.states), "2"]
                version, *times = subprocess.run(call, check=True, capture_output=True, text=True).stdout.split()
                note("loop over Pinocchio", *map(float, times))
        for name, ours in (("tau", tau), ("acc", acc)):
            if not np.array_equal(np.fromfile(f"{kept}.{name}").reshape(ours.shape), ours):
                print(f"C++ and Python differ in {name}", file=sys.stderr)
                return 1
            if pinocchio:
                theirs = np.load(f"{kept}.pin.npz")[name]
                if not np.allclose(theirs, ours[:loop_states], rtol=0, atol=1e-9 * np.abs(theirs).max()):
                    print(f"Pinocchio and Ulna differ in {name}", file=sys.stderr)
                    return 1

    machine = {"processor": processor(), "python": platform.python_version(), "numpy": np.__version__, "ulna": ulna.__version__, "instruction_set": dyn.instruction_set}
    machine["pinocchio"] = version or "not installed (tools/setup --peers)"
    rows = []
    for task, times in least.items():
        row = {"task": task, "ns_per_state": times, "to_cpp": times["Python"] / times["C++"], "cpp_bar": AT_MOST}
        if pinocchio:
            row |= {"speed_up": times["loop over Pinocchio"] / times["Python"], "loop_bar": AT_LEAST}
        rows.append(row)
    if asked.json:
        print(json.dumps({"robot": robot.name, "states": asked.states, "machine": machine, "results": rows}, indent=1))
        return 0
    print(f"{robot.name}, {asked.states} states in one call, one thread; ns per state, least of {asked.turns} turns")
    print(", ".join(f"{k} {v}" for k, v in machine.items()))
    for row in rows:
        times = row["ns_per_state"]
        print(f"\n{row['task']:8s}" + "".join(f"  {who} {ns:.1f}" for who, ns in times.items()))
        print(f"          Python is {row['to_cpp']:.3f} times the C++ batch (bar: at most {AT_MOST}){'' if row['to_cpp'] <= AT_MOST else ': MISSED'}")
        if pinocchio:
            missed = "" if row["speed_up"] >= AT_LEAST else ": MISSED"
            print(f"          and {row['speed_up']:.1f} times as fast as the loop (bar: at least {AT_LEAST:g}){missed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
