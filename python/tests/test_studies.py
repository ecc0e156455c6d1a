"""verify, count, generate, equations, simulate: as the program has them."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ulna


def plain(x):
    """Arrays as lists, for comparison with JSON."""
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, dict):
        return {k: plain(y) for k, y in x.items()}
    return [plain(y) for y in x] if isinstance(x, list) else x


def test_what_ships_is_verified() -> None:
    rows = ulna.verify("planar-2r", samples=5, generated=False)["formulations"]
    for quantity in ("torque", "mass", "bias", "acceleration"):
        agree = {row["id"]: row["agree"] for row in rows if row["quantity"] == quantity}
        assert agree["templates"] and agree["compiled-double"] and agree["compiled-float"] and not agree["generated-c"]
    assert {row["why_not"] for row in rows if row["id"] == "generated-c"} == {"not checked: it was not requested"}


def test_verify_is_what_the_program_certifies(cli) -> None:
    ours, theirs = ulna.verify("stanford", samples=20, seed=3), cli("verify", "stanford", "--samples", "20", "--seed", "3", "--peers", "off")
    assert ours["agree"] is True and ours and type(ours["formulations"]) is list
    assert ours["model_hash"] == theirs["model_hash"] == ulna.load("stanford").hash
    for row in ours["formulations"]:
        if not row["note"]:
            del row["note"]
    for name in ("formulations", "laws", "witnesses"):
        assert plain(ours[name]) == theirs[name]
    witness = ours["witnesses"][0]
    tau = ulna.Dynamics("stanford").inverse(witness["q"], witness["v"], witness["a"])
    np.testing.assert_allclose(tau, witness["tau"], atol=1e-11 * np.abs(witness["tau"]).max())


def test_prove_is_what_the_program_proves(cli) -> None:
    ours, theirs = ulna.prove("planar-2r", "turney", samples=3, seed=2), cli("verify", "planar-2r", "--proof", "turney", "--samples", "3", "--seed", "2")
    assert ours and ours["agree"] is theirs["agree"] is True and ours["model_hash"] == theirs["model_hash"]
    assert ours["steps"] == theirs["steps"] and ours["misprints"] == theirs["misprints"] and ours["symbolic"] == theirs["symbolic"]
    assert {step["same_normal_form"] for step in ulna.prove("stanford", "hollerbach", samples=1)["steps"]} == {None}
    with pytest.raises(ValueError, match="turney"):
        ulna.prove("planar-2r", "turny")
    with pytest.raises(ValueError, match="serial chains"):
        ulna.prove("torso", "turney")


def test_count_is_what_the_program_counts(cli) -> None:
    ours, theirs = ulna.count("ur5"), cli("count", "ur5")
    kept = {(r["id"], r["quantity"]): r for r in theirs["formulations"]}
    taken = [r for r in ours["formulations"] if not r["why_not"]]
    assert len(taken) == len(kept) > 10
    for row in taken:
        other = kept[row["id"], row["quantity"]]
        assert row["as_written"] == other["as_written"] and row["minimal"] == other["minimal"]
    assert {(r["id"], r["why_not"]) for r in ours["formulations"] if r["why_not"]} == {(r["id"], r["why_not"]) for r in theirs["not_taken"]}
    for name, best in theirs["best"].items():
        ours["best"][name].pop("method") if "method" not in best else None
        assert ours["best"][name] == best
    assert list(ulna.count("ur5", "mass")["best"]) == ["mass"]
    ours, theirs = ulna.count(ulna.load("panda", base="planar"), "inverse"), cli("count", "panda", "--base", "planar", "--quantity", "inverse")
    assert ours["joints"] == theirs["joints"] == 7 and ours["best"]["inverse"]["mul"] == theirs["best"]["inverse"]["mul"]
    assert {(r["id"], r["why_not"]) for r in ours["formulations"]} == {(r["id"], r["why_not"]) for r in theirs["not_taken"]}
    with pytest.raises(ValueError, match="'mas'"):
        ulna.count("ur5", "mas")


def test_the_published_best_count() -> None:
    best = ulna.count("stanford", "inverse")["best"]["inverse"]
    assert (best["mul"], best["add"]) == (110, 86)


def test_generate_writes_what_the_program_writes(cli, tmp_path: pathlib.Path) -> None:
    files = ulna.generate("panda", tmp_path / "ours", what=["inverse", "mass"])
    cli("generate", "panda", "--what", "inverse,mass", "--out", str(tmp_path / "theirs"))
    assert sorted(files) == sorted(p.name for p in (tmp_path / "theirs").iterdir()) == sorted(p.name for p in (tmp_path / "ours").iterdir())
    for name, text in files.items():
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes() == text.encode()
    with pytest.raises(ValueError, match="inverse"):
        ulna.generate("panda", what="invers")
    with pytest.raises(ValueError, match="real"):
        ulna.generate("panda", real="half")  # type: ignore[arg-type]


def test_generated_python_agrees_with_the_machine_code(tmp_path: pathlib.Path) -> None:
    (name,) = ulna.generate("puma560", tmp_path, language="python", name="arm")
    robot = ulna.load("puma560")
    q, v, a = robot.sample(3)
    code = f"import numpy as np, {name[:-3]} as m; q, v, a = np.load('s.npy'); np.save('tau.npy', [m.inverse(*s) for s in zip(q, v, a)])"
    np.save(tmp_path / "s.npy", (q, v, a))
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_allclose(np.load(tmp_path / "tau.npy"), ulna.Dynamics(robot).inverse(q, v, a), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("format", "option"), [("text", None), ("latex", "--latex"), ("markdown", "--markdown"), ("html", "--html")])
def test_equations_are_the_programs(cli, format, option) -> None:
    options = [option] if option else []
    assert ulna.equations("planar-2r", ["mass", "inverse"], format=format) == cli("equations", "planar-2r", "--what", "mass,inverse", *options, json_wanted=False)


def test_two_formulations_side_by_side(cli) -> None:
    text = ulna.equations("planar-2r", formulation="hollerbach-3x3", beside="newton-euler")
    assert text == cli("equations", "planar-2r", "--formulation", "hollerbach-3x3", "--beside", "newton-euler", json_wanted=False)
    assert "D2_ij = [" in text and " |   tau1 = " in text


def test_equations_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="did you mean 'mass'"):
        ulna.equations("planar-2r", "mas")
    with pytest.raises(ValueError, match="format is one of text, latex, markdown, html"):
        ulna.equations("planar-2r", format="pdf")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        ulna.equations("panda", form="closed")


@pytest.mark.parametrize("name", ["double-pendulum", "kane-figure-1", "nasser-space-arm", "payload-drop"])
def test_simulation_is_what_the_program_simulates(cli, tmp_path: pathlib.Path, name: str) -> None:
    run = ulna.simulate(name)
    path = tmp_path / "run.csv"
    theirs = cli("simulate", name, "--out", str(path))
    audit = plain(run["audit"])
    assert audit == theirs["audit"] and run["ending"] == theirs["ending"] and plain(run["events"]) == theirs["events"]
    assert run["joints"] == theirs["joints"] and run.done
    assert run["q_end"].tolist() == theirs["q"] and run["v_end"].tolist() == theirs["v"] and run["end"] == theirs["end"]
    with open(path) as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",")
    n = len(run["joints"])
    for quantity in ("q", "v", "a", "tau"):
        at = [names.index(f"{quantity}.{joint}") for joint in run["joints"]]
        assert run[quantity].shape == (len(run.t), n)
        np.testing.assert_array_equal(run[quantity], table[:, at])
    np.testing.assert_array_equal(run.t, table[:, 0])


def test_energy_of_a_free_pendulum_stays() -> None:
    text = "model: planar-2r\nduration: 5\ninitial: {q: [pi/6, pi/3]}\nlimits: ignore\nintegrator: {type: dormand-prince-5, tolerance: 1e-11}\n"
    run = ulna.simulate(text)
    energy = run["kinetic"] + run["potential"]
    assert np.ptp(run["kinetic"]) > 50 and np.ptp(energy) < 1e-7
    assert run.audit["energy_conservative"] and run.audit["energy_drift"] == pytest.approx(np.abs(energy - energy[0]).max(), rel=1e-3)
    # The rows are states of that motion: inverse dynamics gives the torques that acted, which are none.
    tau = ulna.Dynamics("planar-2r").inverse(run.q, run.v, run.a)
    assert np.abs(tau).max() < 1e-9 * np.abs(ulna.Dynamics("planar-2r").bias(run.q, run.v)).max()


def test_overrides_and_text(repository: pathlib.Path) -> None:
    text = (repository / "scenarios" / "double-pendulum.yaml").read_text()
    whole, short = ulna.simulate(text), ulna.simulate("double-pendulum", {"duration": 0.5})
    assert short["end"] == 0.5 and len(short.t) < len(whole.t)
    np.testing.assert_allclose(short.q[:-1], whole.q[: len(short.t) - 1], atol=1e-6)
    with pytest.raises(ValueError, match="nonsense"):
        ulna.simulate("double-pendulum", {"nonsense": 1.0})


def test_simulation_by_another_formulation() -> None:
    own, ours = ulna.simulate("kane-figure-3"), ulna.simulate("kane-figure-3", formulation="ulna")
    assert own["formulation"] == "kane-stanford" and "generalized speeds" in own["equations"]
    assert len(own["W31"]) == len(own.t) and "W31" not in ours
    assert own.audit["momenta"][1]["by"] == "W31" and own.audit["momenta"][1]["drift"] < 1e-9
    assert own.audit["difference_from_production"]["relative"] < 1e-12 and "difference_from_production" not in ours.audit
    np.testing.assert_allclose(own["q_end"], ours["q_end"], atol=1e-9)
    with pytest.raises(ValueError, match="did you mean 'nasser'"):
        ulna.simulate("double-pendulum", formulation="nassr")
    with pytest.raises(ValueError, match="a prescribed motion needs the torques"):
        ulna.simulate("kane-figure-1", formulation="nasser")


def test_problems_of_scenarios(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ulna.SourceError, match="double-pendulum"):
        ulna.simulate("double-pendulun")
    path = tmp_path / "s.yaml"
    path.write_text("robot: planar-2r\nduration: -1\nintegratr: rk4\n")
    with pytest.raises(ulna.SourceError) as caught:
        ulna.simulate(path)
    assert {p.line for p in caught.value.problems} >= {2, 3}
    with pytest.raises(ulna.SourceNotFound):
        ulna.simulate(tmp_path / "none.yaml")


def test_lists(cli) -> None:
    assert ulna.formulations() == cli("formulations")["formulations"]
    assert ulna.scenarios() == {s["id"]: s["summary"] for s in cli("simulate", "--list")["scenarios"]}
    assert ulna.models() == {m["id"]: m["summary"] for m in cli("models")["models"]}


def test_tables_for_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    table = ulna.simulate("double-pendulum", {"duration": 0.1}).to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.index.name == "t" and "q.elbow" in table.columns
    counted = ulna.count("planar-2r", "inverse").to_pandas()
    assert {"id", "quantity", "mul", "written_mul"} <= set(counted.columns) and "best" in set(counted["id"])
    verified = ulna.verify("planar-2r", samples=2)
    assert verified.to_pandas()["agree"].dtype == bool and verified.laws_to_pandas()["holds"].all()


def test_without_pandas_it_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        ulna.verify("planar-2r", samples=1).to_pandas()
