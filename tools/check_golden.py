#!/usr/bin/env python3
"""Compares Ulna with values that another program computed for the same URDF.

    tools/check_golden.py ROBOT.urdf ROBOT.golden.json [--ulna PROGRAM] [--tolerance 1e-11] [-- ULNA OPTIONS]

The golden file is one JSON object:
    joints   names, in the order of all vectors
    states   [{q, v, a, tau, forward_tau, forward_a, gravity, M}], M row by row; a quantity may be missing
             tau = inverse(q, v, a), forward_a = forward(q, v, forward_tau)
             MuJoCo's names may stand in their place: qpos, qvel, qacc (and M with its rows as lists)
    source   which program computed them, and how (printed)

A file whose states have a `base` is of a robot with a free base:
    states   [{base: {position, quaternion_xyzw, angular_velocity, linear_velocity, angular_acceleration, linear_acceleration}, q, v, a,
              base_moment, base_force, tau, M_angular_first, centroidal: {com, linear, angular}}]
             the base's vectors in the root link's axes, its linear acceleration the spatial one (the classical one less w x v); centroidal in world axes
Then ulna is called with --base free --acceleration spatial, and forward dynamics must give back the accelerations.

Differences are relative: the largest difference of a vector over its largest entry. Options after -- are passed to every call of ulna; the default
is --mimic ignore --snap 0, because most programs take mimic joints as free and snap nothing. Exit status: 0 all agree, 1 not, 2 wrong call.
"""
import argparse
import json
import subprocess
import sys
import tempfile


def run(program, command, robot, csv, options):
    call = [program, command, robot, "--states", csv, "--json", *options]
    done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(call)}\nended with status {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def difference(got, wanted):
    scale = max(map(abs, wanted), default=0.0)
    worst = max((abs(x - y) for x, y in zip(got, wanted)), default=0.0)
    return worst / scale if scale > 0 else worst


def check_free(arguments, golden, options):
    """Of a free base: torque and base wrench, M, accelerations, momentum about the mass centre."""
    names, states = golden["joints"], golden["states"]
    fields = {"q": ["base.x", "base.y", "base.z", "base.qx", "base.qy", "base.qz", "base.qw"], "v": ["base.wx", "base.wy", "base.wz", "base.vx", "base.vy", "base.vz"]}
    fields["a"] = fields["v"]
    fields["tau"] = ["base.nx", "base.ny", "base.nz", "base.fx", "base.fy", "base.fz"]
    six = {"q": ("position", "quaternion_xyzw"), "v": ("angular_velocity", "linear_velocity"), "a": ("angular_acceleration", "linear_acceleration")}

    def part(state, name):
        if name == "tau":
            return state["base_moment"] + state["base_force"] + state["tau"]
        return [x for key in six[name] for x in state["base"][key]] + state[name]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def classical(state):
        base = state["base"]
        more = cross(base["angular_velocity"], base["linear_velocity"])
        return base["angular_acceleration"] + [x + y for x, y in zip(base["linear_acceleration"], more)] + state["a"]

    def ask(command, parts, more=()):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as csv:
            csv.write(",".join(f'"{p}.{name}"' for p in parts for name in fields[p] + names) + "\n")
            for state in states:
                csv.write(",".join(repr(x) for p in parts for x in part(state, p)) + "\n")
            csv.flush()
            return run(arguments.ulna, command, arguments.robot, csv.name, [*options, "--base", "free", *more])

    agree = True

    def tell(what, pairs):
        nonlocal agree
        worst = max((difference(got, wanted) for got, wanted in pairs), default=0.0)
        good = worst <= arguments.tolerance
        agree = agree and good
        print(f"  {what:18} largest relative difference {worst:.2e}  {'agrees' if good else 'DIFFERS'} (tolerance {arguments.tolerance:g})")

    inverse = ask("inverse", ["q", "v", "a"], ["--acceleration", "spatial"])
    order = [inverse["joints"].index(name) for name in names]
    place = list(range(6)) + [6 + i for i in order]
    tell("joint torque", [([row[i] for i in order], state["tau"]) for row, state in zip(inverse["tau"], states)])
    tell("base wrench", [(row, state["base_moment"] + state["base_force"]) for row, state in zip(inverse["base"], states)])
    mass = ask("mass", ["q"])
    tell("M", [([M[i][j] for i in place for j in place], sum(state["M_angular_first"], [])) for M, state in zip(mass["M"], states)])
    forward = ask("forward", ["q", "v", "tau"])
    tell("accelerations", [(base + [a[i] for i in order], classical(state)) for base, a, state in zip(forward["base_acceleration"], forward["a"], states)])
    centroidal = ask("centroidal", ["q", "v"])
    for key in ("com", "linear", "angular"):
        tell(f"centroidal {key}", [(row, state["centroidal"][key]) for row, state in zip(centroidal[key], states)])
    tell("A v", [([sum(x * y for x, y in zip(line, [part(state, "v")[i] for i in range(6)] + [state["v"][names.index(n)] for n in centroidal["joints"]])) for line in A],
                  state["centroidal"]["angular"] + state["centroidal"]["linear"]) for A, state in zip(centroidal["A"], states)])
    return 0 if agree else 1


def main():
    words = sys.argv[1:]
    options = ["--mimic", "ignore", "--snap", "0"]
    if "--" in words:
        options = words[words.index("--") + 1:]
        words = words[:words.index("--")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot")
    parser.add_argument("golden")
    parser.add_argument("--ulna", default="build/release/bin/ulna")
    parser.add_argument("--tolerance", type=float, default=1e-11)
    arguments = parser.parse_args(words)
    with open(arguments.golden, encoding="utf-8") as file:
        golden = json.load(file)
    names, states = golden["joints"], golden["states"]

    # command, its key in Ulna's output, the golden value, and which golden value stands for each part of the state
    quantities = [("inverse", "tau", "tau", {"q": "q", "v": "v", "a": "a"}), ("gravity", "gravity", "gravity", {"q": "q"}), ("mass", "M", "M", {"q": "q"}),
                  ("forward", "a", "forward_a", {"q": "q", "v": "v", "tau": "forward_tau"})]
    for state in states:
        for ours, mujoco in (("q", "qpos"), ("v", "qvel"), ("a", "qacc")):
            if mujoco in state:
                state.setdefault(ours, state[mujoco])
        if "M" in state and isinstance(state["M"][0], list):
            state["M"] = [x for row in state["M"] for x in row]
    print(f"{arguments.robot}: {len(names)} joints, {len(states)} states; golden values: {golden.get('source', 'of unknown origin')}")
    if "base" in states[0]:
        return check_free(arguments, golden, options)
    agree = True
    for command, key, value, parts in quantities:
        usable = [s for s in states if value in s and all(p in s for p in parts.values())]
        if not usable:
            print(f"  {command:8} not in the golden file")
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as csv:
            quote = lambda header: '"' + header.replace('"', '""') + '"'
            csv.write(",".join(quote(f"{part}.{name}") for part in parts for name in names) + "\n")
            for state in usable:
                csv.write(",".join(repr(x) for part in parts.values() for x in state[part]) + "\n")
            csv.flush()
            result = run(arguments.ulna, command, arguments.robot, csv.name, options)
        order = [result["joints"].index(name) for name in names]
        worst = 0.0
        for row, state in zip(result[key], usable):
            got = [row[i][j] for i in order for j in order] if command == "mass" else [row[i] for i in order]
            worst = max(worst, difference(got, state[value]))
        good = worst <= arguments.tolerance
        agree = agree and good
        print(f"  {command:8} largest relative difference {worst:.2e}  {'agrees' if good else 'DIFFERS'} (tolerance {arguments.tolerance:g})")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
