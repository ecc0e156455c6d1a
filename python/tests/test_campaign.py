"""Campaigns and data sets from Python: the program's bytes, on a cluster too."""

import os
import pathlib
import signal
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
    with pytest.raises(ulna.CampaignError, match="not empty"):
        ulna.campaign(SPEC, tmp_path / "out")
    assert ulna.campaign(SPEC, tmp_path / "out", resume=True)["runs"] == 40


def test_bad_spec(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ulna.CampaignError, match="did you mean 'friction'"):
        ulna.campaign({**SPEC, "vary": {"fricton": {"uniform": [0, 1]}}}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


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

        def kill() -> None:  # both, one after the other
            for pid in pids:
                time.sleep(0.5)
                os.kill(pid, signal.SIGKILL)

        import threading

        threading.Thread(target=kill).start()
        report = ulna.campaign(SPEC, tmp_path / "cluster", client, shards=6)
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
    ulna.campaign(SPEC, tmp_path / "alone")
    settings = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    import threading

    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        parts = tmp_path / "cluster.shards"

        def stop() -> None:
            while not (parts / "0000002" / "results.csv").exists():
                time.sleep(0.02)
            cluster.close()

        threading.Thread(target=stop).start()
        with pytest.raises(Exception):  # noqa: B017: whatever Dask says
            ulna.campaign(SPEC, tmp_path / "cluster", client, shards=8)
    kept = {folder.name: folder.stat().st_mtime_ns for folder in parts.iterdir() if folder.is_dir() and folder.suffix == ""}
    assert 2 <= len(kept) < 8
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        report = ulna.campaign(SPEC, tmp_path / "cluster", client, shards=3, resume=True)
    assert report["runs"] == 40 and not parts.exists()
    for name in ("results.csv", "spec.yaml", "campaign.json"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "cluster" / name).read_bytes()
