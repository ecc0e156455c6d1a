"""Figures of docs/campaign.md: python python/bench_campaign.py [RUNS]. Needs the wheel and dask[distributed]; a quiet computer."""

import os
import resource
import shutil
import sys
import tempfile
import time

import ulna

SPEC = os.path.join(os.path.dirname(__file__), "..", "campaigns", "panda-payload.yaml")


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(runs: int) -> None:
    folder = tempfile.mkdtemp(prefix="ulna-bench-")
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    print(f"8 runs, all that is made once: {seconds(lambda: ulna.campaign(SPEC, at('start'), runs=8)):.3f} s")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    alone = seconds(lambda: ulna.campaign(SPEC, at("alone"), runs=runs))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{runs} runs of 2000 steps: {alone:.2f} s, {(after.ru_utime - before.ru_utime) / runs / 2000 * 1e9:.0f} ns of a core a step, at most {after.ru_maxrss / 1024:.0f} MB")
    print(f"{os.path.getsize(at('alone/results.csv')) / runs:.0f} bytes a run")
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        tasks = 3000
        print(f"a task of Dask: {seconds(lambda: client.gather(client.map(abs, range(tasks), pure=False))) / tasks * 1e3:.2f} ms")
        there = seconds(lambda: ulna.campaign(SPEC, at("cluster"), client, runs=runs))
    print(f"the same on two workers: {there:.2f} s, {there / alone - 1:+.1%}")
    same = open(at("alone/results.csv"), "rb").read() == open(at("cluster/results.csv"), "rb").read()
    print("same bytes" if same else "OTHER BYTES")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20000)
