"""Figures of docs/scale.md. Needs the wheel, dask[distributed] and pyarrow, and a quiet computer.

python python/bench_campaign.py                    both parts at full size: 1e5 runs, 1e8 states (25 GB of disk)
python python/bench_campaign.py campaign [RUNS]    the command line against a Dask LocalCluster of two workers
python python/bench_campaign.py dataset [ROWS]     states with torques to Parquet, beside the kernel, the encoder and the disk
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != os.path.dirname(os.path.abspath(__file__))]  # the wheel, not the sources beside
import ulna  # noqa: E402

CAMPAIGNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "campaigns")
SPEC = os.path.join(CAMPAIGNS, "panda-payload.yaml")
STATES = os.path.join(CAMPAIGNS, "panda-torques.yaml")
STEPS = 2000  # of a run


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def child(code: str):
    """What a process of its own prints as JSON, with its largest memory."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def campaign(runs: int, folder: str) -> None:
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    program = lambda name, count: subprocess.run([sys.executable, "-m", "ulna", "campaign", SPEC, "--runs", str(count), "--out", at(name)], check=True, capture_output=True)  # noqa: E731
    print(f"8 runs, all that is made once: {min(seconds(lambda: ulna.campaign(SPEC, at(f'start{k}'), runs=8)) for k in range(3)):.3f} s")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    alone = seconds(lambda: program("alone", runs))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = after.ru_utime - before.ru_utime
    print(f"{runs} runs of {STEPS} steps, command line: {alone:.2f} s, {user / runs / STEPS * 1e9:.0f} ns of a core a step, at most {after.ru_maxrss / 1024:.0f} MB")
    print(f"{os.path.getsize(at('alone/results.csv')) / runs:.0f} bytes a run")
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        tasks = 3000
        print(f"a task of Dask: {seconds(lambda: client.gather(client.map(abs, range(tasks), pure=False))) / tasks * 1e3:.2f} ms")
        there = seconds(lambda: ulna.campaign(SPEC, at("cluster"), client, runs=runs))
    print(f"the same on two workers of Dask: {there:.2f} s, {there / alone - 1:+.1%} (bar: +15 %)")
    same = all(open(at(f"alone/{name}"), "rb").read() == open(at(f"cluster/{name}"), "rb").read() for name in ("results.csv", "campaign.json"))
    print("same bytes" if same else "OTHER BYTES")


def dataset(rows: int, folder: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = os.path.join(folder, "states.parquet")
    report = lambda what, count, time_, more="": print(f"{what}: {count / time_:.3g} rows a second{more}")  # noqa: E731

    # The kernel's own: torques of states that are there already, on all cores.
    dynamics, count = ulna.Dynamics("panda"), 1 << 20
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, count, 7))
    tau = np.empty((count, 7))
    report("torques of states in memory (Dynamics.inverse)", count, min(seconds(lambda: dynamics.inverse(q, v, a, out=tau)) for _ in range(5)))

    few = min(rows, 4_000_000)
    drained = lambda: [None for _ in ulna.dataset_batches(STATES, rows=few)]  # noqa: E731
    report("states drawn and torques, to memory", few, min(seconds(drained) for _ in range(3)))

    # The encoder alone: pieces that are made already, to nowhere. The disk alone: the same bytes, by plain writes.
    head, block = next(iter(ulna.dataset_batches(STATES, rows=1 << 16)))
    table = pa.Table.from_arrays([pa.array(column) for column in block], names=head["columns"])

    def encode() -> None:
        sink = pa.OSFile(os.devnull, "wb")
        with pq.ParquetWriter(sink, table.schema, compression="NONE", use_dictionary=False, write_statistics=False) as writer:
            for _ in range(40):
                writer.write_table(table)

    report("the encoder alone, to /dev/null", 40 * table.num_rows, min(seconds(encode) for _ in range(3)))
    row = 8 * len(head["columns"])
    pieces = max(1, min(rows, 20_000_000) * row // block.nbytes)

    def store() -> None:
        with open(path, "wb", buffering=0) as file:
            for _ in range(pieces):
                file.write(block.data)
            os.fsync(file.fileno())

    spent = seconds(store)
    report("the disk alone", pieces * (block.nbytes // row), spent, f", {pieces * block.nbytes / spent / 1e6:.0f} MB/s")
    os.unlink(path)

    for n in (max(1, rows // 10), rows):
        code = f"""
import json, os, time, ulna
start, cpu = time.perf_counter(), time.process_time()
ulna.dataset({STATES!r}, {path!r}, rows={n})
file = os.open({path!r}, os.O_RDONLY)
os.fsync(file)
used = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, int(used) / 1024]))"""
        spent, cpu, memory = child(code)
        size = os.path.getsize(path)
        report(f"{n} rows to Parquet, on the disk", n, spent, f", {size / spent / 1e6:.0f} MB/s, {cpu / n * 1e9:.0f} ns of a core a row, {size / n:.0f} bytes a row, at most {memory:.0f} MB")
        os.unlink(path)


def main(words: list[str]) -> None:
    folder = tempfile.mkdtemp(prefix="ulna-bench-", dir=os.environ.get("ULNA_BENCH_DIR"))
    try:
        which = words[0] if words else ""
        if which not in ("", "campaign", "dataset"):
            sys.exit(__doc__)
        if which != "dataset":
            campaign(int(float(words[1])) if len(words) > 1 else 100_000, folder)
        if which != "campaign":
            dataset(int(float(words[1])) if len(words) > 1 else 100_000_000, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
