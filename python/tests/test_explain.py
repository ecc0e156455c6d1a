"""Why two models disagree; MJCF."""

from __future__ import annotations

import numpy as np
import pytest

import ulna

ARM = """<mujoco model="arm"><compiler angle="radian"/>
<worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" armature="0.1" damping="1"/><geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0" mass="2"/>
<body name="hand" pos="0.3 0 0"><joint name="wrist" axis="0 1 0"/><inertial pos="0.1 0 0" mass="0.5" diaginertia="0.001 0.002 0.002"/></body></body></worldbody></mujoco>"""


def test_mjcf_in_and_out():
    robot = ulna.load(ARM)
    assert [joint.name for joint in robot.joints] == ["shoulder", "wrist"]
    again = ulna.load(robot.to_mjcf())
    q, v, a = robot.sample(20)
    np.testing.assert_allclose(ulna.Dynamics(again).inverse(q, v, a), ulna.Dynamics(robot).inverse(q, v, a), rtol=1e-12, atol=1e-12)
    assert bool(ulna.explain(robot, again))


def test_includes_are_found_beside_the_file(tmp_path):
    (tmp_path / "part.xml").write_text("<mujocoinclude><body name='b'><joint name='j'/><geom size='0.1' pos='1 0 0'/></body></mujocoinclude>")
    (tmp_path / "robot.xml").write_text("<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>")
    assert ulna.load(tmp_path / "robot.xml").nv == 1
    with pytest.raises(ulna.SourceError, match="load the model from its file"):
        ulna.load((tmp_path / "robot.xml").read_text())


def test_loops():
    loop = ARM.replace("</mujoco>", "<equality><connect body1='hand' anchor='0 0 0'/></equality></mujoco>")
    assert ulna.load(loop).nv == 1  # about the anchor, which the wrist's axis goes through
    with pytest.warns(ulna.SourceWarning, match="the tree is open here"):
        assert ulna.load(loop, loops="ignore").nv == 2
    with pytest.raises(ValueError, match="'honour', 'ignore' or a file of loops"):
        ulna.load(ARM, loops="open")


def test_two_models():
    other = ulna.load(ARM.replace('mass="0.5"', 'mass="0.7"').replace('armature="0.1"', 'armature="0"'))
    found = ulna.explain(ulna.load(ARM), other)
    assert not found
    assert {(cause["kind"], cause["where"]) for cause in found["causes"]} == {("mass", "hand"), ("armature", "shoulder")}
    assert found["residual"] < 1e-12
    by_kind = {cause["kind"]: cause for cause in found["causes"]}
    assert by_kind["mass"]["from"] == 0.5 and by_kind["mass"]["to"] == 0.7


def test_numbers():
    robot = ulna.load(ARM)
    q, v, a = robot.sample(25)
    tau = ulna.Dynamics(robot).inverse(q, v, a)  # without friction
    found = ulna.explain(robot, {"q": q, "v": v, "a": a, "tau": tau})
    assert found["causes"][0]["kind"] == "damping" and found["causes"][0]["to"] == 0
    turned = ulna.explain({"q": q, "v": v, "a": a, "tau": tau}, robot)
    assert turned["causes"][0]["from"] == 0 and turned["causes"][0]["edit"].startswith("in B: ")
    mass = ulna.Dynamics(robot).mass(q) + 0.2 * np.eye(2)
    assert ulna.explain(robot, {"q": q, "M": mass})["causes"][0]["kind"] == "armature"


def test_wrong_calls():
    robot = ulna.load(ARM)
    with pytest.raises(TypeError, match="one of them must be a model"):
        ulna.explain({"q": [0, 0]}, {"q": [0, 0]})
    with pytest.raises(ValueError, match="'torque'"):
        ulna.explain(robot, {"q": [[0, 0]], "torque": [[0, 0]]})
    with pytest.raises(ValueError, match="shape"):
        ulna.explain(robot, {"q": [[0, 0, 0]], "tau": [[0, 0]]})
    with pytest.raises(ValueError, match="2 states"):
        ulna.explain(robot, {"q": [[0, 0]], "tau": [[0, 0], [0, 0]]})
    with pytest.raises(ValueError, match=r"lock=\[NAME\] in load\(\) of A holds each"):
        ulna.explain("panda", "ur5")
    with pytest.raises(TypeError, match="must be a Robot"):
        ulna.explain(robot, 3)


def test_models_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    found = ulna.explain(ulna.load(ARM), mujoco.MjModel.from_xml_string(ARM.replace('armature="0.1"', 'armature="0.3"')))
    assert found["causes"][0]["kind"] == "armature"


def test_models_of_pinocchio():
    pinocchio = pytest.importorskip("pinocchio")
    robot = ulna.load("ur5")
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    assert ulna.explain(robot, model)["residual"] < 1e-9


def test_lines_of_an_own_implementation():
    # Two links in a plane, by Turney, Mudge and Lee's equations, with the sign of the force of link 2 wrong.
    q, v, a = [0.7, -1.1], [1.3, -0.4], [0.9, 2.1]
    lines = {line["name"]: line for line in ulna.intermediates("planar-2r", "newton-euler", q, v, a)}
    np.testing.assert_allclose(lines["omega2"]["value"], [0, 0, v[0] + v[1]], atol=1e-14)
    np.testing.assert_allclose(lines["R2"]["value"][:2, :2], [[np.cos(q[1]), -np.sin(q[1])], [np.sin(q[1]), np.cos(q[1])]], atol=1e-14)
    np.testing.assert_allclose([lines["tau1"]["value"], lines["tau2"]["value"]], ulna.Dynamics(ulna.load("planar-2r")).inverse(q, v, a), rtol=1e-12)
    own = {name: line["value"] for name, line in lines.items()}
    assert ulna.explain_intermediates("planar-2r", "newton-euler", own, q, v, a) == {"agree": True, "first": None, "differ": [], "missing": []}
    own["f1"] = own["F1"] - lines["R2"]["value"] @ own["f2"]
    del own["n1"]
    found = ulna.explain_intermediates("planar-2r", "newton-euler", own, q, v, a)
    assert not found["agree"] and found["missing"] == ["n1"] and found["differ"] == ["f1"]
    assert found["first"]["equation"] == "3.19" and set(found["first"]["inputs"]) == {"R2", "F1", "f2"}
    assert any("has the wrong sign" in hint for hint in found["first"]["hints"])
    np.testing.assert_array_equal(found["first"]["right"], lines["f1"]["value"])
    # Forward dynamics take joint forces.
    forward = ulna.intermediates("planar-2r", "nasser", q, v, tau=[1.0, 2.0])
    assert {line["symbol"] for line in forward} >= {"A*", "B*", "U"}
    for wrong, message in (({"omga1": [0, 0, 1]}, "did you mean 'omega1'"), ({"omega1": [0, 0]}, "a vector of 3")):
        with pytest.raises(ValueError, match=message):
            ulna.explain_intermediates("planar-2r", "newton-euler", wrong, q, v, a)
    with pytest.raises(ValueError, match="one state"):
        ulna.intermediates("planar-2r", "newton-euler", [q, q])
    with pytest.raises(ValueError, match="formulation"):
        ulna.intermediates("planar-2r", "newton", q)
