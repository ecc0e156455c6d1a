"""Loading, problems, descriptions, pickling."""

from __future__ import annotations

import pathlib
import pickle
import warnings
import xml.etree.ElementTree

import numpy as np
import pytest

import ulna

BAD = """<robot name="bad">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.9" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="87Nm" velocity="1"/>
  </joint>
</robot>
"""


def test_every_built_in_robot_loads_as_the_program_describes_it(cli) -> None:
    for row in cli("models")["models"]:
        assert row["id"] in ulna.models()
        info = cli("info", row["id"])
        robot = ulna.load(row["id"])
        if "loops" in info:
            assert (list(robot.independent), list(robot.dependent), robot.mobility) == (info["independent"], info["dependent"], info["mobility"])
            continue
        assert robot.nv == row["joints"] == info["nv"]
        assert [j.name for j in robot.joints] == [j["name"] for j in info["joints"]]
        assert [j.type for j in robot.joints] == [j["type"] for j in info["joints"]]
        assert robot.mass == info["mass"]
        assert list(robot.gravity) == info["gravity"]
        assert [(k.name, k.mass, list(k.com)) for k in robot.links] == [(k["name"], k["mass"], k["com"]) for k in info["links"]]
        inertias = [tuple(k["inertia"][e] for e in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")) for k in info["links"]]
        assert [k.inertia for k in robot.links] == inertias


def test_all_problems_come_at_once_with_line_cause_and_cure(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(BAD)
    with pytest.raises(ulna.SourceError) as caught:
        ulna.load(path)
    problems = [p for p in caught.value.problems if p.severity == "error"]
    assert [p.line for p in problems] == [13] or [p.line for p in problems] == [3, 13]
    unit = problems[-1]
    assert unit.file == str(path) and "hinge" in unit.element and "87Nm" in unit.cause and unit.cure
    assert str(path) + ":13" in str(caught.value)
    assert isinstance(caught.value, ValueError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.problems == caught.value.problems and str(again) == str(caught.value)


def test_broken_mechanics_pass_only_when_asked_to() -> None:
    text = BAD.replace("87Nm", "87")
    with pytest.raises(ulna.SourceError, match="triangle inequality") as caught:
        ulna.load(text, file="arm.urdf")
    assert caught.value.problems[0].physical and caught.value.problems[0].file == "arm.urdf"
    with pytest.warns(ulna.SourceWarning, match="triangle"):
        robot = ulna.load(text, unchecked=True)
    assert any(p.overridden for p in robot.problems)


def test_what_is_not_there() -> None:
    with pytest.raises(ulna.SourceNotFound) as caught:
        ulna.load("no/such/file.urdf")
    assert isinstance(caught.value, FileNotFoundError) and isinstance(caught.value, ulna.SourceError)
    with pytest.raises(ulna.SourceError, match="panda"):
        ulna.load("pandaa")


def test_wrong_options_are_named() -> None:
    with pytest.raises(ulna.SourceError, match="joint77"):
        ulna.load("panda", lock=["joint77"])
    with pytest.raises(ValueError, match="mimic"):
        ulna.load("panda", mimic="perhaps")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="snap"):
        ulna.load("panda", snap=0.5)
    with pytest.raises(ValueError, match="gravity has 2 numbers, but must have 3"):
        ulna.load("panda", gravity=[0, 1])
    with pytest.raises(TypeError):
        ulna.load(b"panda")  # type: ignore[arg-type]


def test_locks_by_name_and_value() -> None:
    whole = ulna.load("ur5")
    names = [j.name for j in whole.joints]
    held = ulna.load("ur5", lock={names[0]: 0.3, names[2]: -0.7})
    assert [j.name for j in held.joints] == [names[1], *names[3:]]
    # The same torques as the whole robot's with these joints held.
    q, v, a = held.sample(20)

    def widen(x: np.ndarray, at: tuple[float, float]) -> np.ndarray:
        out = np.zeros((len(x), 6))
        out[:, [1, 3, 4, 5]] = x
        out[:, 0], out[:, 2] = at
        return out

    tau = ulna.Dynamics(whole).inverse(widen(q, (0.3, -0.7)), widen(v, (0, 0)), widen(a, (0, 0)))
    np.testing.assert_allclose(ulna.Dynamics(held).inverse(q, v, a), tau[:, [1, 3, 4, 5]], rtol=1e-9, atol=1e-9)
    assert ulna.load("ur5", lock=names[1]).nv == ulna.load("ur5", lock=[names[1]]).nv == 5


def test_path_text_and_name_are_the_same_robot(repository: pathlib.Path) -> None:
    path = repository / "models" / "puma560" / "puma560.yaml"
    robots = [ulna.load("puma560"), ulna.load(path), ulna.load(str(path)), ulna.load(path.read_text())]
    assert len({robot.hash for robot in robots}) == 1


@pytest.mark.parametrize("options", [{}, {"lock": {"joint4": -1.0}}, {"gravity": [1.0, 2.0, 3.0]}, {"snap": 0.0}])
def test_pickling(options: dict) -> None:
    robot = ulna.load("panda", **options)
    again = pickle.loads(pickle.dumps(robot))
    assert again == robot and hash(again) == hash(robot) and len({again, robot}) == 1
    assert again.hash == robot.hash and again.joints == robot.joints and again.gravity == robot.gravity and again.snap == robot.snap


def test_robots_are_equal_when_their_numbers_are(repository: pathlib.Path) -> None:
    robot, path = ulna.load("puma560"), repository / "models" / "puma560" / "puma560.yaml"
    assert robot == ulna.load(path) and hash(robot) == hash(ulna.load(path))  # the same text from elsewhere
    others: list[object] = [ulna.load("puma560", **changed) for changed in ({"gravity": [0, 0, -1.62]}, {"snap": 0.0}, {"lock": [robot.joints[5].name]})]
    mass = robot.links[2].mass
    text = path.read_text()
    assert text.count(f"mass: {mass}") == 1
    others += [ulna.load(text.replace(f"mass: {mass}", f"mass: {np.nextafter(mass, 2 * mass)}")), "puma560", None]
    assert all(robot != other and not robot == other for other in others)
    urdf = ulna.load("panda").to_urdf()
    moved = urdf.replace('<origin xyz="0 0 0.1034" rpy="0 0 0"/>', '<origin xyz="0 0 0.1035" rpy="0 0 0"/>')  # a frame, which no list of links and joints has
    assert moved != urdf and ulna.load(urdf) == ulna.load(urdf) != ulna.load(moved)


def test_a_pickle_outlives_its_file(tmp_path: pathlib.Path, repository: pathlib.Path) -> None:
    path = tmp_path / "robot.yaml"
    path.write_text((repository / "models" / "stanford" / "stanford.yaml").read_text())
    robot = ulna.load(path)
    kept = pickle.dumps(robot)
    path.write_text("changed")
    assert pickle.loads(kept).hash == robot.hash


def test_pickling_does_not_warn_again(repository: pathlib.Path) -> None:
    with pytest.warns(ulna.SourceWarning):
        robot = ulna.load(BAD.replace("87Nm", "87"), unchecked=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pickle.loads(pickle.dumps(robot)).hash == robot.hash


@pytest.mark.parametrize("name", sorted(ulna.models()))
def test_the_notebook_page_is_well_formed(name: str) -> None:
    robot = ulna.load(name)
    page = xml.etree.ElementTree.fromstring(robot._repr_html_())
    rows = page.findall(".//tbody/tr")
    assert [row.findall("td")[1].text for row in rows] == [j.name for j in robot.joints]
    drawing = page.find(".//{http://www.w3.org/2000/svg}svg")
    assert drawing is not None
    svg = "{http://www.w3.org/2000/svg}"
    moving = [j for j in robot.all_joints if j.type != "fixed"]
    assert len(drawing.findall(f"{svg}circle")) == sum(j.type != "prismatic" for j in moving)
    assert len(drawing.findall(f"{svg}rect")) == sum(j.type == "prismatic" for j in moving)
    width, height = float(drawing.get("width", "0")), float(drawing.get("height", "0"))
    for circle in drawing.findall(f"{svg}circle"):
        assert 0 <= float(circle.get("cx", "-1")) <= width and 0 <= float(circle.get("cy", "-1")) <= height


def test_names_are_escaped_in_the_page() -> None:
    text = ulna.load("planar-2r").to_urdf().replace('<robot name="planar-2r"', '<robot name="&lt;script&gt;"')
    assert "<script>" not in ulna.load(text)._repr_html_()


@pytest.mark.parametrize("name", ["panda", "stanford", "torso", "scara"])
def test_urdf_loads_again_to_the_same_motion(name: str) -> None:
    robot = ulna.load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ulna.SourceWarning)
        again = ulna.load(robot.to_urdf(), gravity=robot.gravity)
    q, v, a = robot.sample(10)
    expected = ulna.Dynamics(robot).inverse(q, v, a)
    np.testing.assert_allclose(ulna.Dynamics(again).inverse(q, v, a), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_samples_are_seeded_and_within_limits() -> None:
    robot = ulna.load("panda")
    q, v, a = robot.sample(200, seed=4)
    assert q.shape == v.shape == a.shape == (200, 7)
    assert (robot.sample(200, seed=4)[0] == q).all() and (robot.sample(200, seed=5)[0] != q).any()
    lower, upper = np.array([j.lower for j in robot.joints]), np.array([j.upper for j in robot.joints])
    assert ((q >= lower) & (q <= upper)).all()
    assert robot.sample(0)[0].shape == (0, 7)
    with pytest.raises(ValueError, match="-1"):
        robot.sample(-1)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("make it free by --mimic ignore", "make it free by mimic='ignore'"),
        ("pass --loops ignore (LoadOptions::loops) to open all loops", "pass loops='ignore' to open all loops"),
        ("give one: --xacro-arg side:=VALUE; did you mean 'x'?", "give one: xacro_args={'side': VALUE}; did you mean 'x'?"),
        ("--package arm=DIR, or --package-path DIR to search", "packages={'arm': DIR}, or package_paths=[DIR] to search"),
        ("load the file with --gravity 0,0,-1.62", "load the file with gravity=[0,0,-1.62]"),
        ("raise the limit: --limit joints=N, or ReadLimits::joints", "raise the limit: in C++ ReadLimits::joints"),
        ("leave --independent out, or name its file (--loops FILE)", "leave independent out, or name its file (loops=FILE)"),
        ("--b-base free (LoadOptions::base) makes both alike", "base='free' in load() of B makes both alike"),
        ("continue with --resume; joint 'a--b' stays", "continue with resume=True; joint 'a--b' stays"),
        ("'ulna simulate --list' lists them", "ulna.scenarios() lists them"),
    ],
)
def test_messages_name_arguments_and_not_options(message: str, words: str) -> None:
    assert ulna._core.words(message) == words
