"""Campaigns and data sets from Python: the program's bytes, on a cluster too."""

import csv
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ulna

SPEC = {
    "seed": 5,
    "runs": 40,
    "scenario": {
        "model": "scara",
        "duration": 0.1,
        "reference": {"type": "quintic", "to": [0.4, 0.3, 0.05, 0.2], "duration": 0.08},
        "law": {"type": "computed-torque", "kp": 100, "kd": 20},
        "integrator": {"type": "rk4", "step": 0.001},
    },
    "control": {"noise": {"q": 1e-5, "v": 1e-4}},
    "vary": {"mass": {"uniform": [0.8, 1.2]}, "kp": {"uniform": [0.5, 2]}},
}


def test_campaign(tmp_path: pathlib.Path) -> None:
    report = ulna.campaign(SPEC, tmp_path / "out")
    assert report["runs"] == 40 and report["failed"] == 0 and report["worst"]
    rows = np.genfromtxt(tmp_path / "out" / "results.csv", delimiter=",", names=True, dtype=None, encoding="utf-8", deletechars="")
    assert list(rows["run"]) == list(range(40))
    energy = rows["energy_[J]"]
    summary = report["metrics"]["energy [J]"]
    assert summary["mean"] == pytest.approx(energy.mean(), rel=1e-12)
    for share, value in summary["quantiles"].items():
        assert value == pytest.approx(np.quantile(energy, float(share)), rel=1e-12)
    with pytest.raises(ulna.CampaignError, match="not empty; use resume=True to continue"):
        ulna.campaign(SPEC, tmp_path / "out")
    assert ulna.campaign(SPEC, tmp_path / "out", resume=True)["runs"] == 40


def test_bad_spec(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ulna.CampaignError, match="did you mean 'friction'"):
        ulna.campaign({**SPEC, "vary": {"fricton": {"uniform": [0, 1]}}}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


LONG = {**SPEC, "runs": 4000, "scenario": {**SPEC["scenario"], "duration": 0.5}}  # type: ignore[dict-item]


def test_in_this_process(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress goes up, what it raises ends the work, and finished parts stay; nothing starts another program."""
    monkeypatch.setattr(subprocess, "Popen", None)
    seen: list[tuple[int, int]] = []

    def stop(done: int, all: int) -> None:
        seen.append((done, all))
        if done > 1500:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        ulna.campaign(LONG, tmp_path / "out", progress=stop)
    assert all(total == 4000 for _, total in seen) and seen == sorted(seen)
    parts = list((tmp_path / "out" / "parts").glob("*.part"))
    assert parts and not (tmp_path / "out" / "results.csv").exists()
    first: list[int] = []
    report = ulna.campaign(LONG, tmp_path / "out", resume=True, progress=lambda done, all: first.append(done))
    assert report["runs"] == 4000 and report["remade"] == [] and (not first or first[0] > 240 * len(parts))  # a part has some 250 runs, in whole lanes
    assert ulna.campaign(LONG, tmp_path / "whole", threads=1)["metrics"] == report["metrics"]
    assert (tmp_path / "out" / "results.csv").read_bytes() == (tmp_path / "whole" / "results.csv").read_bytes()


def test_interrupted(tmp_path: pathlib.Path) -> None:
    """Ctrl-C, as a terminal sends it."""
    spec = tmp_path / "long.yaml"
    spec.write_text(json.dumps({**LONG, "runs": 1_000_000}))
    code = f"""
import signal, sys, ulna
signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells take away from what they start in the background
try:
    ulna.campaign({str(spec)!r}, {str(tmp_path / "out")!r})
except KeyboardInterrupt:
    sys.exit(7)
"""
    work = subprocess.Popen([sys.executable, "-c", code])
    end = time.monotonic() + 60
    while not list(tmp_path.glob("out/parts/*.part")) and time.monotonic() < end:
        time.sleep(0.05)
    work.send_signal(signal.SIGINT)
    assert work.wait(60) == 7
    assert list(tmp_path.glob("out/parts/*.part")) and not list(tmp_path.glob("out/parts/*.tmp"))


def test_estimate(tmp_path: pathlib.Path) -> None:
    report = ulna.campaign_estimate(LONG, tmp_path / "out" / "there", runs=1_000_000)
    assert not (tmp_path / "out").exists()
    assert report["runs"] == 1_000_000 and 0 < report["measured_runs"] < 1_000_000 and report["free_bytes"] > 0
    assert report["seconds"] >= 1_000_000 / report["runs_per_second"] and report["hours"] == pytest.approx(report["seconds"] / 3600)
    # All runs of a small one are measured: then its bytes are those of the file, less the line of names.
    small = ulna.campaign_estimate(SPEC)
    ulna.campaign(SPEC, tmp_path / "small")
    lines = (tmp_path / "small" / "results.csv").read_bytes()
    assert small["measured_runs"] == 40 and small["bytes"] == len(lines) - lines.index(b"\n") - 1 and small["free_bytes"] is None


def test_campaign_as_parquet(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    spec = {**SPEC, "vary": {"mass": {"uniform": [0.8, 1.2]}, "kp": {"uniform": [0.5, 1e8]}}}  # most of which diverge at 1 kHz
    report = ulna.campaign(spec, tmp_path / "p", format="parquet", threads=1)
    other = ulna.campaign(spec, tmp_path / "csv")
    assert report["failed"] == other["failed"] > 0 and report["metrics"] == other["metrics"] and report["format"] == "parquet"
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["campaign.json", "results.parquet", "spec.yaml"]
    table = parquet.read_table(tmp_path / "p" / "results.parquet")
    with open(tmp_path / "csv" / "results.csv", newline="") as lines:
        names, *rows = list(csv.reader(lines))
    assert table.column_names == names and table.num_rows == len(rows) == 40
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        wanted = list(column) if name == "status" else [cell.encode()[:128].decode(errors="ignore") or None for cell in column] if name == "reason" else [float(cell) if cell else None for cell in column]
        assert table[name].to_pylist() == wanted, name
    # Again on two threads: the same bytes. A finished folder gives its report again; a changed one is told.
    ulna.campaign(spec, tmp_path / "again", format="parquet", threads=2)
    for name in ("results.parquet", "campaign.json", "spec.yaml"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "p" / name).read_bytes(), name
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(spec, indent=2))
    made = ulna.campaign(file, tmp_path / "named", format="parquet")
    assert ulna.campaign(file, tmp_path / "named", format="parquet", resume=True) == made
    with pytest.raises(ulna.CampaignError, match="another campaign"):
        ulna.campaign({**spec, "seed": 6}, tmp_path / "p", format="parquet", resume=True)
    with pytest.raises(ulna.CampaignError, match=r"holds results.parquet, which ulna.campaign\(\) in Python reads"):
        ulna.campaign(spec, tmp_path / "p", resume=True)
    content = bytearray((tmp_path / "p" / "results.parquet").read_bytes())
    content[100] ^= 1
    (tmp_path / "p" / "results.parquet").write_bytes(content)
    with pytest.raises(ulna.CampaignError, match="checksum differs"):
        ulna.campaign(spec, tmp_path / "p", format="parquet", resume=True)
    # Killed while it was converted: results.h5 is there, and becomes Parquet now.
    ulna.campaign(spec, tmp_path / "cut", format="h5")
    (tmp_path / "cut" / "results.parquet.tmp").write_bytes(b"half")
    assert ulna.campaign(spec, tmp_path / "cut", format="parquet", resume=True)["metrics"] == report["metrics"]
    assert parquet.read_table(tmp_path / "cut" / "results.parquet").equals(table) and not (tmp_path / "cut" / "results.h5").exists()
    with pytest.raises(ulna.CampaignError, match="'csv', 'h5' or 'parquet', not 'xml'"):
        ulna.campaign(spec, tmp_path / "x", format="xml")


def test_dataset_batches() -> None:
    robot, dynamics = ulna.load("panda"), ulna.Dynamics(ulna.load("panda"))
    spec = {"model": "panda", "rows": 20000, "quantities": ["inverse"], "a": [-5, 5]}
    blocks = [block.copy() for _, block in ulna.dataset_batches(spec, piece=1000)]  # a piece is good until the next
    table = np.concatenate(blocks, axis=1)
    assert table.shape == (28, 20000)
    q, v, a, tau = (np.ascontiguousarray(table[k * 7 : (k + 1) * 7].T) for k in range(4))
    assert np.array_equal(dynamics.inverse(q, v, a), tau)
    assert robot.joints and (np.abs(a) < 5).all() and abs(a.mean()) < 0.1
    second = np.concatenate([block.copy() for _, block in ulna.dataset_batches(spec, shard="2/2", piece=777, threads=3)], axis=1)
    assert np.array_equal(second, table[:, 10000:])


def test_parquet(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    written = ulna.dataset({"model": "planar-2r", "rows": 5000, "quantities": ["forward", "mass"]}, tmp_path / "d.parquet", row_group=2000)
    table = parquet.read_table(tmp_path / "d.parquet")
    assert table.num_rows == 5000 and table.column_names == written["columns"]
    assert b"planar-2r" in table.schema.metadata[b"ulna"]
    assert table.column_names[0].endswith("[rad]")


def test_dask(tmp_path: pathlib.Path) -> None:
    distributed = pytest.importorskip("distributed")
    ulna.campaign(SPEC, tmp_path / "alone")
    wanted = {name: (tmp_path / "alone" / name).read_bytes() for name in ("results.csv", "spec.yaml", "campaign.json")}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())

        def kill(done: int, all: int) -> None:  # both, one after the other, while shards are left
            if pids and done in (1, 4):
                os.kill(pids.pop(), signal.SIGKILL)

        report = ulna.campaign(SPEC, tmp_path / "cluster", client, shards=10, progress=kill)
        assert not pids
        if importlib.util.find_spec("pyarrow"):
            ulna.campaign(SPEC, tmp_path / "alone-p", format="parquet")
            ulna.campaign(SPEC, tmp_path / "cluster-p", client, shards=3, format="parquet")
            for name in ("results.parquet", "spec.yaml", "campaign.json"):
                assert (tmp_path / "alone-p" / name).read_bytes() == (tmp_path / "cluster-p" / name).read_bytes()
    assert report["runs"] == 40
    assert wanted == {name: (tmp_path / "cluster" / name).read_bytes() for name in wanted}


def test_results_open_elsewhere(tmp_path: pathlib.Path) -> None:
    """The lines of docs/campaign.md, where these packages are installed."""
    report = ulna.campaign(SPEC, tmp_path / "csv")
    ulna.campaign(SPEC, tmp_path / "h5", format="h5")
    csv, mean = str(tmp_path / "csv" / "results.csv"), report["metrics"]["energy [J]"]["mean"]
    assert (tmp_path / "h5" / "results.h5").read_bytes()[:8] == b"\x89HDF\r\n\x1a\n"
    opened = 0
    try:
        import pandas

        assert pandas.read_csv(csv)["energy [J]"].mean() == pytest.approx(mean)
        opened += 1
    except ImportError:
        pass
    try:
        import polars

        assert polars.read_csv(csv)["energy [J]"].mean() == pytest.approx(mean)
        opened += 1
    except ImportError:
        pass
    try:
        import duckdb

        assert duckdb.sql(f"select avg(\"energy [J]\") from '{csv}'").fetchall()[0][0] == pytest.approx(mean)
        opened += 1
    except ImportError:
        pass
    try:
        import h5py

        with h5py.File(tmp_path / "h5" / "results.h5") as file:
            table = file["results"][:]
            assert np.mean(table["energy [J]"]) == pytest.approx(mean)
            assert list(table["run"]) == list(range(40)) and set(table["status"]) == {b"done"}
            assert file.attrs["spec"] == (tmp_path / "h5" / "spec.yaml").read_text()
        opened += 1
    except ImportError:
        pass
    if opened == 0:
        pytest.skip("none of pandas, polars, duckdb and h5py is here")


def test_parquet_opens_elsewhere(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pyarrow")
    path = str(tmp_path / "d.parquet")
    ulna.dataset({"model": "planar-2r", "rows": 3000, "quantities": ["inverse"]}, path)
    column = np.concatenate([block[0].copy() for _, block in ulna.dataset_batches({"model": "planar-2r", "rows": 3000, "quantities": ["inverse"]})])
    pandas = pytest.importorskip("pandas")
    assert np.array_equal(pandas.read_parquet(path).iloc[:, 0], column)
    polars = pytest.importorskip("polars")
    assert np.array_equal(polars.read_parquet(path).to_series(0).to_numpy(), column)
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0] == 3000


def test_dask_restarted(tmp_path: pathlib.Path) -> None:
    """The scheduler goes away in the middle; another one finishes what is missing, and only that."""
    distributed = pytest.importorskip("distributed")
    ulna.campaign(LONG, tmp_path / "alone")
    settings = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    parts = tmp_path / "cluster.shards"
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:

        def stop(done: int, all: int) -> None:
            if done == 2:
                cluster.close()

        with pytest.raises(Exception):  # noqa: B017: whatever Dask says
            ulna.campaign(LONG, tmp_path / "cluster", client, shards=8, progress=stop)
    kept = {folder.name: folder.stat().st_mtime_ns for folder in parts.iterdir() if folder.is_dir() and folder.suffix == ""}
    assert 2 <= len(kept) < 8
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        report = ulna.campaign(LONG, tmp_path / "cluster", client, shards=3, resume=True)
    assert report["runs"] == 4000 and not parts.exists()
    for name in ("results.csv", "spec.yaml", "campaign.json"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "cluster" / name).read_bytes()


def test_a_run_is_a_file_that_simulate_makes(tmp_path):
    (tmp_path / "c.yaml").write_text(
        "runs: 6\nscenario: {model: scara, duration: 0.05, integrator: {type: rk4, step: 0.001}, output: {step: 0.001},\n"
        "  reference: {type: hold, to: [0.1, 0.2, 0.05, 0]}, law: {type: pd, kp: 50, kd: 5}}\n"
        "control: {noise: {q: 1e-4}}\nvary: {mass: {uniform: [0.8, 1.2]}}\n"
    )
    motions = []
    for run in (2, 2, 3):
        ulna.campaign_run(tmp_path / "c.yaml", run, tmp_path / "run.yaml")
        motions.append(ulna.simulate(str(tmp_path / "run.yaml")))
    assert np.array_equal(motions[0]["q"], motions[1]["q"])
    assert not np.array_equal(motions[0]["q"], motions[2]["q"])
    with pytest.raises(ulna.CampaignError, match="the last is 5"):
        ulna.campaign_run(tmp_path / "c.yaml", 6, tmp_path / "run.yaml")
