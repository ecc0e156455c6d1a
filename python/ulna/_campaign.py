"""Campaigns and data sets: on this computer, or on the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _core

Spec = str | os.PathLike[str] | Mapping[str, Any]
Progress = Callable[[int, int], object]


_MADE_AS = {"csv": "csv", "h5": "h5", "parquet": "h5"}  # by the library, before Arrow writes it
_ROW_GROUP = 1 << 16


def _files(format: str) -> tuple[str, ...]:
    """What a finished folder has."""
    return (f"results.{format}", "campaign.json", "spec.yaml")


class CampaignError(RuntimeError):
    """What is wrong, in the library's words: file, line, cause and cure."""


def _told(problem: Exception) -> CampaignError:
    return CampaignError(_core.words(str(problem).strip()))


def _open(path: str, runs: int | None) -> _core.Campaign:
    try:
        return _core.open_campaign(path, runs)
    except ValueError as problem:
        raise _told(problem) from None


def _report(work: Callable[[], str]) -> dict[str, Any]:
    try:
        result: dict[str, Any] = json.loads(work())
    except _core.FolderError as problem:
        raise _told(problem) from None
    return result


def _made(path: str, runs: int | None, out: str, format: str, shard: tuple[int, int] = (1, 1), resume: bool = False, threads: int = 0, progress: Progress | None = None) -> dict[str, Any]:
    """By the library, on all cores, without Python's lock."""
    command = _core.alone_command(path, None if runs is None else str(runs))
    opened = _open(path, runs)
    return _report(lambda: opened.run(out, command, list(shard), format, resume, threads, progress))


def _put(path: pathlib.Path, content: bytes) -> None:
    """On the disk, when it returns."""
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _finished_parquet(out: str, path: str, runs: int | None) -> dict[str, Any] | None:
    """The report of a folder that has its Parquet file already, which holds it."""
    place = pathlib.Path(out)
    try:
        identity = json.loads((place / "campaign.json").read_bytes())
    except (OSError, ValueError):
        return None
    if identity.get("format") != "parquet":
        return None
    import pyarrow.parquet as pq

    asked = _open(path, runs).hash
    if identity["spec"] != asked:
        raise CampaignError(f"{out!r} holds another campaign ({identity['spec']}, not {asked}); take another folder")
    results = place / "results.parquet"
    if not results.exists() or _core.file_checksum(str(results)) != identity["checksum"]:
        raise CampaignError(f"{results} has changed since it was written (its checksum differs); make it again, in another folder")
    (place / "results.h5").unlink(missing_ok=True)
    report: dict[str, Any] = json.loads(pq.read_schema(results).metadata[b"ulna"])["report"]
    command = _core.alone_command(path, None if runs is None else str(runs))
    worst = [{**run, "alone": f"{command}{run['run']}"} for run in report["worst"]]
    return {**report, "out": out, "remade": [], "worst": worst}


def _as_parquet(out: str, columns: list[str], report: dict[str, Any]) -> dict[str, Any]:
    """results.h5 becomes results.parquet, row group by row group: the rows are the last bytes of the file. A process that is killed meanwhile leaves results.h5."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    place = pathlib.Path(out)
    made, beside, results = place / "results.h5", place / "results.parquet.tmp", place / "results.parquet"
    row = np.dtype([("run", "<u8"), ("status", "S8"), ("reason", "S128"), *((str(i), "<f8") for i in range(len(columns) - 3))])
    identity = json.loads((place / "campaign.json").read_bytes())
    report = {**report, "format": "parquet"}
    lasting = {key: value for key, value in report.items() if key not in ("out", "remade")}  # nothing of where and how it was made: the same bytes anywhere
    lasting["worst"] = [{key: value for key, value in run.items() if key != "alone"} for run in report["worst"]]
    facts = {"campaign": identity, "spec": (place / "spec.yaml").read_text(), "report": lasting}
    kinds = [pa.uint64(), pa.string(), pa.string()] + [pa.float64()] * (len(columns) - 3)
    schema = pa.schema([pa.field(name, kind) for name, kind in zip(columns, kinds, strict=True)], metadata={"ulna": json.dumps(facts)})
    try:
        with open(made, "rb") as file, pq.ParquetWriter(beside, schema, compression="NONE", use_dictionary=columns[1:3]) as writer:
            file.seek(made.stat().st_size - report["runs"] * row.itemsize)
            for left in range(report["runs"], 0, -_ROW_GROUP):
                rows = np.fromfile(file, row, min(left, _ROW_GROUP))
                texts = [pa.array(rows[name], pa.binary()).cast(pa.string()) for name in ("status", "reason")]
                texts[1] = pc.if_else(pc.equal(texts[1], ""), None, texts[1])
                numbers = [pa.array(rows[str(i)], from_pandas=True) for i in range(len(columns) - 3)]  # null where there is none
                writer.write_table(pa.Table.from_arrays([pa.array(rows["run"]), *texts, *numbers], schema=schema), row_group_size=_ROW_GROUP)
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    os.replace(beside, results)
    identity |= {"format": "parquet", "checksum": _core.file_checksum(str(results))}
    _put(place / "campaign.json.tmp", (json.dumps(identity, indent=2) + "\n").encode())
    os.replace(place / "campaign.json.tmp", place / "campaign.json")
    made.unlink()
    return report


class _SpecFile:
    """A file of the spec, whatever it was given as; dicts are written as JSON, which is YAML."""

    def __init__(self, spec: Spec) -> None:
        self._folder: str | None = None
        if isinstance(spec, Mapping):
            self._folder = tempfile.mkdtemp(prefix="ulna-")
            self.path = os.path.join(self._folder, "campaign.yaml")
            pathlib.Path(self.path).write_text(json.dumps(spec, indent=2))
        else:
            self.path = os.fspath(spec)

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _shard(text: str, name: str, index: int, count: int, runs: int | None, format: str) -> dict[str, bytes]:
    """What a worker does: the shard in a folder of its own, and its files as bytes. Made again from nothing when the worker dies."""
    with tempfile.TemporaryDirectory(prefix="ulna-shard-") as folder:
        spec = os.path.join(folder, name)
        pathlib.Path(spec).write_text(text)
        out = os.path.join(folder, "out")
        _made(spec, runs, out, format, (index, count), threads=1)
        return {file: pathlib.Path(out, file).read_bytes() for file in _files(format)}


def _on_cluster(client: Any, path: str, out: str, runs: int | None, shards: int | None, resume: bool, format: str, progress: Progress | None) -> dict[str, Any]:
    import distributed

    as_completed: Any = distributed.as_completed  # which has no types

    results = _files(format)[0]
    if os.path.exists(os.path.join(out, results)) and resume:
        return _made(path, runs, out, format, resume=True)
    if os.path.isdir(out) and os.listdir(out) and not resume:
        raise CampaignError(f"{out!r} exists and is not empty; use resume=True to continue, or name another folder")
    text = pathlib.Path(path).read_text()
    workers = client.scheduler_info(n_workers=-1)["workers"] if "n_workers" in client.scheduler_info.__code__.co_varnames else client.scheduler_info()["workers"]
    cores = sum(worker["nthreads"] for worker in workers.values()) or 1
    count = shards or min(4 * cores, 1_000_000)
    # Finished shards lie beside the place of the whole, each put there in one step, so that a scheduler that dies loses none.
    parts = pathlib.Path(out + ".shards")
    parts.mkdir(parents=True, exist_ok=True)
    note = parts / "count"
    if note.exists() and resume:
        count = int(note.read_text())
    note.write_text(str(count))
    folders = {i: parts / f"{i:07d}" for i in range(1, count + 1)}
    missing = [i for i, folder in folders.items() if not (folder / results).exists()]
    tasks = {
        client.submit(_shard, text, os.path.basename(path), i, count, runs, format, pure=False, retries=10, key=f"ulna-shard-{i}-of-{count}-{os.urandom(4).hex()}"): i
        for i in missing
    }
    for task, files in as_completed(tasks, with_results=True):
        folder = folders[tasks[task]]
        beside = folder.with_suffix(".tmp")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        for name, content in files.items():
            _put(beside / name, content)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
        task.release()
        missing.remove(tasks[task])
        if progress is not None:
            progress(count - len(missing), count)
    command = _core.alone_command(os.path.join(out, "spec.yaml"), None)
    report = _report(lambda: _core.merge_campaigns([str(folder) for folder in folders.values()], out, command))
    shutil.rmtree(parts)
    return report


def campaign(
    spec: Spec,
    out: str | os.PathLike[str],
    client: Any = None,
    *,
    runs: int | None = None,
    shards: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    format: str = "csv",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Makes all runs of a campaign (docs/campaign.md) and returns its summary: ``runs``, ``failed``, ``metrics``, ``worst``. The folder ``out`` gets
    ``results.csv``, ``results.h5`` or ``results.parquet``, ``spec.yaml`` and ``campaign.json``. Ctrl-C keeps the finished parts for ``resume``.

    :param spec: a YAML file, or what would stand in one, as a dict.
    :param client: a ``distributed.Client``: shards are its tasks, made again where a worker dies. The file must not name other files unless every worker has
        them. Nothing but this package is needed on the workers.
    :param runs: number of runs, in place of the spec's.
    :param shards: number of tasks; by default four for each core of the cluster.
    :param resume: continue with what ``out`` holds; an absent or complete folder is fine, too.
    :param format: format of the results, ``"csv"``, ``"h5"`` or ``"parquet"`` (by pyarrow).
    :param progress: is called now and then with what is done and what there is: runs, or shards of a cluster.
    :raises CampaignError: with what is wrong with the spec or the folder.

    >>> import tempfile, ulna
    >>> spec = {"runs": 20, "scenario": {"model": "scara", "duration": 0.1, "integrator": {"type": "rk4", "step": 0.001}},
    ...         "vary": {"mass": {"uniform": [0.9, 1.1]}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = ulna.campaign(spec, folder + "/out")
    >>> report["runs"], report["failed"]
    (20, 0)
    """
    folder = os.fspath(out)
    made_as = _format(format)
    with _SpecFile(spec) as path:
        if format == "parquet" and resume:
            finished = _finished_parquet(folder, path, runs)
            if finished is not None:
                return finished
        if client is not None:
            report = _on_cluster(client, path, folder, runs, shards, resume, made_as, progress)
        else:
            report = _made(path, runs, folder, made_as, resume=resume, threads=threads or 0, progress=progress)
        return _as_parquet(folder, _open(path, runs).columns, report) if format == "parquet" else report


def campaign_run(spec: str | os.PathLike[str], run: int, file: str | os.PathLike[str], *, runs: int | None = None) -> None:
    """Writes one run of a campaign as ``file``, which :func:`ulna.simulate` makes, bit for bit as in the campaign, with its audit.

    :param spec: the campaign's YAML file.
    :param runs: number of runs, in place of the spec's.
    :raises CampaignError: with what is wrong with the spec, or where there is no such run.
    """
    opened = _open(os.fspath(spec), runs)
    if not 0 <= run < opened.runs:
        raise CampaignError(f"there is no run {run}: the last is {opened.runs - 1}")
    text = opened.run_file(os.fspath(spec), run, os.fspath(file))
    with open(file, "w", encoding="utf-8") as to:
        to.write(text)


def campaign_estimate(
    spec: Spec, out: str | os.PathLike[str] | None = None, *, runs: int | None = None, threads: int | None = None, format: str = "csv"
) -> dict[str, Any]:
    """What a campaign would take, judged by a few of its runs, which are made for about a second: ``runs_per_second``, ``seconds``, ``hours``, ``bytes`` of the
    results and ``bytes_of_parts`` that the disk holds beside them until these are written. ``measured_runs`` says on how many runs that rests. Writes nothing.

    :param out: where the results would go; ``free_bytes`` is what its disk has left.
    :raises CampaignError: with what is wrong with the spec.
    """
    made_as = _format(format)
    with _SpecFile(spec) as path:
        opened = _open(path, runs)
    report = _report(lambda: opened.estimate("" if out is None else os.fspath(out), made_as, threads or 0))
    if format == "parquet":  # results.h5 is there until it is converted
        report |= {"format": format, "bytes_of_parts": report["bytes_of_parts"] + report["bytes"], "bytes": 8.0 * report["runs"] * (len(opened.columns) - 2)}
    return report


def _format(format: str) -> str:
    if format not in _MADE_AS:
        raise CampaignError(f"format takes 'csv', 'h5' or 'parquet', not {format!r}")
    if format == "parquet":
        import pyarrow.parquet  # noqa: F401: before hours of work, not after
    return _MADE_AS[format]


def _share(shard: str | None, rows: int) -> tuple[int, int]:
    """First and last row (one behind) of part i of n, of a campaign."""
    if shard is None:
        return 0, rows
    index, _, count = shard.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count) <= 1_000_000):
        raise CampaignError(f"shard takes i/n with i from 1 to n, such as 1/4, not {shard!r}")
    i, n = int(index), int(count)
    return rows * (i - 1) // n, rows * i // n


def dataset_batches(
    spec: Spec, *, rows: int | None = None, shard: str | None = None, piece: int = 1 << 16, threads: int | None = None
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Pieces of a data set as they are made: a dict that says what the columns are, and an array of shape (columns, rows of the piece). All cores make pieces
    ahead, straight into arrays that are used again: a piece is good until the next one is asked for.

    :param piece: rows of a piece; memory is that of a few pieces.
    :raises CampaignError: with what is wrong with the spec.
    """
    import numpy as np

    with _SpecFile(spec) as path:
        try:
            data = _core.open_dataset(path, rows)
        except ValueError as problem:
            raise CampaignError(str(problem).strip()) from None
    first, last = _share(shard, data.rows)
    head: dict[str, Any] = {"rows": last - first, "first": first, "piece": piece, "columns": data.columns, "instruction_set": data.instruction_set, "spec": data.spec}
    crew = max(1, threads or os.cpu_count() or 1)
    blocks = [np.empty((len(data.columns), min(piece, max(1, last - first)))) for _ in range(crew + 2)]

    def make(begin: int, block: Any) -> Any:
        count = min(piece, last - begin)
        part = block if count == block.shape[1] else np.empty((block.shape[0], count))  # the last one
        data.make(begin, part)
        return part

    with ThreadPoolExecutor(crew) as pool:
        ahead: deque[tuple[Any, Any]] = deque()
        begins = iter(range(first, last, piece))
        for block, begin in zip(blocks[:-1], begins, strict=False):  # the blocks first: none of the beginnings may be lost
            ahead.append((pool.submit(make, begin, block), block))
        spare = blocks[-1]
        while ahead:
            future, block = ahead.popleft()
            made = future.result()
            begin = next(begins, -1)
            if begin >= 0:
                ahead.append((pool.submit(make, begin, spare), spare))
            yield head, made
            spare = block


def dataset(
    spec: Spec,
    out: str | os.PathLike[str],
    *,
    rows: int | None = None,
    shard: str | None = None,
    compression: str = "NONE",
    row_group: int = 1 << 16,
    threads: int | None = None,
) -> dict[str, Any]:
    """Writes a data set (docs/campaign.md) as Parquet by pyarrow: columns go from the kernels into the buffers that are encoded, other cores make the next rows
    meanwhile, and memory does not grow with the rows. The spec and the instruction set stand in the file's metadata under ``ulna``. Returns what was written:
    ``rows``, ``columns``, ``out``.

    :param compression: of pyarrow; it hardly makes random numbers smaller.
    :raises CampaignError: with what is wrong with the spec.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = os.fspath(out)
    beside = path + ".tmp"
    writer = None
    head: dict[str, Any] = {}
    try:
        for head, block in dataset_batches(spec, rows=rows, shard=shard, piece=row_group, threads=threads):
            if writer is None:
                facts = {key: head[key] for key in ("spec", "instruction_set", "first", "rows")}
                schema = pa.schema([pa.field(name, pa.float64(), nullable=False) for name in head["columns"]], metadata={"ulna": json.dumps(facts)})
                # Numbers at random have no repetitions that a dictionary could use, and nobody looks for their ranges.
                writer = pq.ParquetWriter(beside, schema, compression=compression, use_dictionary=False, write_statistics=False)
            writer.write_table(pa.Table.from_arrays([pa.array(column) for column in block], schema=schema), row_group_size=row_group)
    except BaseException:
        if writer is not None:
            with contextlib.suppress(OSError):  # of a full disk: what is told is the first problem
                writer.close()
            with contextlib.suppress(OSError):
                os.unlink(beside)
        raise
    assert writer is not None
    writer.close()
    os.replace(beside, path)
    return {"rows": head["rows"], "columns": head["columns"], "out": path}
