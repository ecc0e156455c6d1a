#!/usr/bin/env python3
"""Random MJCF files that mix what MuJoCo's compiler does, with the numbers that MuJoCo computes of them.

    random_files.py 200 --seed 1 > random_files.json     the files of mjcf_random_test.cpp, which needs no MuJoCo
    random_files.py 150 --meshes > random_meshes.json    one free body with a mesh each; those that MuJoCo refuses are kept, too
    random_files.py --read-back random.json written.json what Ulna wrote of such files, compiled again by MuJoCo
    random_files.py --schema                             "element attribute" of all that MuJoCo knows, of the elements that can change M

Every file is a function of the seed and its number alone. Files that MuJoCo refuses are left out, and counted. Binary parts are "hex:" and digits.
Numbers are those of a robot as Ulna has it: linear equalities of joints reduce M, bias and gravity by M = Gᵀ M G, and the
first six numbers of a free base are angular, then linear velocity in the axes of the base.
"""
import argparse
import json
import random
import pathlib
import re
import struct
import sys
import tempfile

import mujoco
import numpy as np

mujoco.set_mju_user_warning(lambda message: None)
FREE, BALL, EQUALITY_OF_JOINTS = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL), int(mujoco.mjtEq.mjEQ_JOINT)
EQUALITY_OF_TENDONS, JOINT_WRAP = int(mujoco.mjtEq.mjEQ_TENDON), int(mujoco.mjtWrap.mjWRAP_JOINT)
NO_EQUALITIES = int(mujoco.mjtDisableBit.mjDSBL_EQUALITY) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)


# Files.

def number(x):
    return f"{x:.3g}"


def numbers(values):
    return " ".join(number(v) for v in values)


def tag(name, attributes, inside=None):
    text = "<" + name + "".join(f' {key}="{value}"' for key, value in attributes.items() if value is not None)
    return text + (f">{inside}</{name}>" if inside is not None else "/>")


# Meshes: points and triangles that are counterclockwise seen from outside, before they are spoilt.

def extruded(r):
    """A star-shaped polygon, which need not be convex, between two heights."""
    n = r.randint(3, 7)
    angles = sorted((k + r.uniform(-0.3, 0.3)) * 6.283 / n for k in range(n))
    rim = [(radius * np.cos(a), radius * np.sin(a)) for a, radius in ((a, r.uniform(0.03, 0.2)) for a in angles)]
    low, high = -r.uniform(0.02, 0.2), r.uniform(0.02, 0.2)
    points = [(x, y, z) for z in (low, high) for x, y in rim] + [(0, 0, low), (0, 0, high)]
    triangles = []
    for k in range(n):
        m = (k + 1) % n
        triangles += [(2 * n, m, k), (2 * n + 1, n + k, n + m), (k, m, n + m), (k, n + m, n + k)]
    return points, triangles


def box(r, cells):
    """A box whose faces are grids of so many cells, so that most points lie in the plane of others."""
    size, points, triangles, index = [r.uniform(0.03, 0.2) for _ in range(3)], [], [], {}

    def point(c):
        if c not in index:
            index[c] = len(points)
            points.append(tuple(s * (2 * x / cells - 1) for s, x in zip(size, c)))
        return index[c]

    for axis in range(3):
        for end in (0, cells):
            for i in range(cells):
                for j in range(cells):
                    corners = []
                    for u, v in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                        c = [0, 0, 0]
                        c[axis], c[(axis + 1) % 3], c[(axis + 2) % 3] = end, u, v
                        corners.append(point(tuple(c)))
                    corners = corners if end else corners[::-1]
                    triangles += [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]
    return points, triangles


def random_mesh(r):
    kind = r.choice(["tetrahedron", "box", "box", "grid", "extruded", "extruded", "cloud"])
    if kind == "cloud":
        points, triangles = [[r.uniform(-0.2, 0.2) for _ in range(3)] for _ in range(r.randint(4, 20))], []
    elif kind == "tetrahedron":
        points, triangles = [[r.uniform(-0.2, 0.2) for _ in range(3)] for _ in range(4)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
        if np.linalg.det(np.array(points[1:]) - np.array(points[0])) < 0:
            triangles = [(a, c, b) for a, b, c in triangles]
    else:
        points, triangles = extruded(r) if kind == "extruded" else box(r, 1 if kind == "box" else r.randint(2, 4))
    move = [r.uniform(-0.2, 0.2) for _ in range(3)]
    points = [tuple(float(f"{x + m:.3g}") for x, m in zip(p, move)) for p in points]
    if triangles and r.random() < 0.15:  # badly oriented
        triangles = [t if r.random() < 0.8 else (t[0], t[2], t[1]) for t in triangles]
    if triangles and r.random() < 0.1:
        triangles = [(a, c, b) for a, b, c in triangles]
    if len(triangles) > 4 and r.random() < 0.15:  # not closed
        triangles = r.sample(triangles, len(triangles) - r.randint(1, 2))
    if r.random() < 0.03:
        points = [(p[0], p[1], 0.1) for p in points]  # flat
    return points, triangles


def stl(points, triangles):
    return b" " * 80 + struct.pack("<i", len(triangles)) + b"".join(
        struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in triangles)


def msh(points, triangles):
    return struct.pack("<4i", len(points), 0, 0, len(triangles)) + b"".join(struct.pack("<3f", *p) for p in points) + b"".join(
        struct.pack("<3i", *t) for t in triangles)


def obj(r, points, triangles):
    lines = ["# a mesh", "mtllib none.mtl"] + ["v " + " ".join(f"{x:g}" for x in p) for p in points]
    if triangles and r.random() < 0.3:
        lines.append("vn 0 0 1")
    style = r.choice(["{}", "{}//1", "negative"]) if lines[-1] == "vn 0 0 1" else r.choice(["{}", "negative"])
    corner = (lambda i: str(i - len(points))) if style == "negative" else lambda i: style.format(i + 1)
    lines.append(r.choice(["o part", "g part", "s off"]))
    quads = r.random() < 0.5
    k = 0
    while k < len(triangles):
        face = list(triangles[k])
        if quads and k + 1 < len(triangles) and triangles[k + 1][0] == face[0] and triangles[k + 1][1] == face[2]:
            face.append(triangles[k + 1][2])
            k += 1
        lines.append("f " + " ".join(corner(i) for i in face))
        k += 1
    if r.random() < 0.2:
        lines += ["o other", "v 0.3 0.1 0.2", "f 1 2 " + str(len(points) + 1)]
    return ("\n".join(lines) + "\n").encode()


class File:
    """One random file."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.parts = {}  # files that are included, by name
        self.classes = ["main"]
        self.joints, self.tendons, self.bodies, self.sites = [], [], [], []
        self.count, self.depth = 0, 0
        self.meshes, self.models = [], []
        self.folder, self.strip = self.one_of({"": 3, "m/": 1}), self.chance(0.2)
        self.radian = self.chance(0.5)
        self.from_geoms = self.one_of({"auto": 7, "true": 1, "false": 1})

    def chance(self, p):
        return self.r.random() < p

    def one_of(self, weights):
        return self.r.choices(list(weights), list(weights.values()))[0]

    def vector(self, size=0.4, n=3):
        return self.r.choice([" "] * 8 + ["  ", "\t", "\n "]).join(number(self.r.uniform(-size, size)) for _ in range(n))

    def angle(self, size=3):
        return self.r.uniform(-size, size) * (1 if self.radian else 57.3)

    def some(self, table):
        """A random part of a table of (name, probability, value)."""
        return {name: value() for name, p, value in table if self.chance(p)}

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def orientation(self, p=0.6):
        if not self.chance(p):
            return {}
        kind = self.r.choice(["quat", "axisangle", "xyaxes", "zaxis", "euler"])
        return {kind: {"quat": lambda: self.vector(1, 4),
                       "axisangle": lambda: self.vector(1) + " " + number(self.angle()),
                       "xyaxes": lambda: self.vector(1, 6),
                       "zaxis": lambda: self.vector(1),
                       "euler": lambda: numbers(self.angle() for _ in range(3))}[kind]()}

    def pose(self, p=0.7):
        return {**self.some([("pos", p, self.vector)]), **self.orientation(p)}

    def maybe_class(self, p=0.2):
        return {"class": self.r.choice(self.classes)} if self.chance(p) else {}

    def included(self, content, p=0.02):
        """The content itself, or an <include> of it."""
        if not content or not self.chance(p):
            return content
        name = f"part{len(self.parts)}.xml"
        self.parts[name] = f"<mujocoinclude>{content}</mujocoinclude>"
        return tag("include", {"file": name})

    # Settings.

    def compiler(self):
        r = self.r
        flag = lambda: r.choice(["true", "false"])
        return tag("compiler", self.some([
            ("eulerseq", 0.3, lambda: "".join(r.choice("xyzXYZ") for _ in range(3))),
            ("boundmass", 0.12, lambda: number(r.uniform(0.001, 2))),
            ("boundinertia", 0.12, lambda: number(r.uniform(0.0001, 0.1))),
            ("balanceinertia", 0.2, flag),
            ("settotalmass", 0.08, lambda: number(r.choice([-1, 5, 12.5]))),
            ("inertiagrouprange", 0.2, lambda: r.choice(["0 5", "0 2", "1 3", "0 0"])),
            ("fusestatic", 0.2, flag),
            ("discardvisual", 0.1, flag),
            ("alignfree", 0.2, flag),
            ("autolimits", 0.05, lambda: "true"),
            ("coordinate", 0.05, lambda: "local"),
            ("fitaabb", 0.05, flag), ("usethread", 0.05, flag), ("saveinertial", 0.05, flag),
            ("conflict", 0.03, lambda: "merge")]))

    def mesh(self):
        """The name of a mesh in <asset>, new or known."""
        r = self.r
        if self.meshes and self.chance(0.4):
            return r.choice(self.meshes)[0]
        name, (points, triangles) = self.name("m"), random_mesh(r)
        out = {"name": name}
        inline = not triangles or self.chance(0.2)
        if inline:
            out["vertex"] = " ".join(f"{x:g}" for p in points for x in p)
            if triangles:
                out["face"] = " ".join(str(i) for t in triangles for i in t)
        else:
            kind = r.choice(["stl", "stl", "obj", "msh"])
            data = {"stl": lambda: stl(points, triangles), "msh": lambda: msh(points, triangles), "obj": lambda: obj(r, points, triangles)}[kind]()
            self.parts[f"{self.folder}{name}.{kind}"] = "hex:" + data.hex()
            out["file"] = ("elsewhere/" if self.strip else "") + f"{name}.{kind}"
            if self.chance(0.1):
                del out["name"]  # the file's name is its name
        out |= self.some([("inertia", 0.7, lambda: r.choice(["convex", "exact", "legacy", "shell"])),
                          ("scale", 0.3, lambda: numbers(r.choice([1, 1, 1, -1]) * r.uniform(0.5, 1.5) for _ in range(3))),
                          ("refpos", 0.2, lambda: self.vector(0.1)), ("refquat", 0.2, lambda: self.vector(1, 4)), ("maxhullvert", 0.03, lambda: "64")])
        self.meshes.append((name, tag("mesh", out)))
        return name

    def asset(self):
        inside = [text for _, text in self.meshes] + self.models
        return [tag("asset", {}, "".join(inside))] if inside else []

    def settings(self):
        fixed = {"angle": "radian" if self.radian else self.r.choice(["degree", None]),
                 "inertiafromgeom": self.from_geoms if self.from_geoms != "auto" or self.chance(0.5) else None}
        if self.folder:
            fixed[self.r.choice(["meshdir", "assetdir"])] = self.folder[:-1]
        if self.strip:
            fixed["strippath"] = "true"
        out = [tag("compiler", fixed)] + [self.included(self.compiler()) for _ in range(self.r.randint(0, 2))]
        for _ in range(self.r.randint(0, 2)):
            flags = self.some([(f, 0.12, lambda: self.r.choice(["enable", "disable"])) for f in
                               ("gravity", "equality", "constraint", "contact", "limit", "spring", "damper", "frictionloss", "actuation", "energy")])
            out.append(tag("option", self.some([("gravity", 0.5, lambda: self.vector(10)), ("timestep", 0.1, lambda: "0.001"), ("density", 0.02, lambda: "1.2"),
                                                ("wind", 0.05, lambda: "1 0 0"), ("integrator", 0.1, lambda: "implicitfast")]),
                           tag("flag", flags) if flags or self.chance(0.2) else ""))
        return out

    def defaults_of(self, depth):
        r = self.r
        parts = []
        if self.chance(0.7):
            parts.append(self.included(tag("joint", self.joint_attributes(0.15))))
        if self.chance(0.6):
            parts.append(tag("geom", self.geom_attributes(0.2)))
        if self.chance(0.3):
            parts.append(tag("equality", self.some([("active", 0.8, lambda: r.choice(["true", "false"])), ("solref", 0.2, lambda: "0.03 1")])))
        if self.chance(0.2):
            parts.append(tag("tendon", self.some([("armature", 0.15, lambda: number(r.uniform(0, 1))), ("stiffness", 0.3, lambda: "2"), ("width", 0.3, lambda: "0.01")])))
        for kind in r.sample(["motor", "general", "position", "velocity"], r.randint(0, 2)):
            parts.append(tag(kind, self.actuator_attributes(0.3)))
        if self.chance(0.2):
            parts.append(tag("site", {"size": "0.02"}))
        if self.chance(0.1):
            parts.append(tag("mesh", self.some([("scale", 0.6, lambda: "0.5 0.8 1"), ("inertia", 0.5, lambda: r.choice(["convex", "exact", "shell"]))])))
        for _ in range(r.choice([0, 0, 0, 1]) if depth else r.choice([0, 1, 1, 2])):
            if depth < 3:
                name = self.name("c")
                parts.insert(r.randint(0, len(parts)), tag("default", {"class": name}, self.defaults_of(depth + 1)))
                self.classes.append(name)
        return "".join(parts)

    def defaults(self):
        out = []
        for _ in range(self.one_of({0: 2, 1: 5, 2: 3})):
            out.append(self.included(tag("default", {"class": "main"} if self.chance(0.2) else {}, self.defaults_of(0))))
        return out

    # Elements.

    def joint_attributes(self, p):
        r = self.r
        out = self.some([
            ("type", p * 0.5, lambda: self.one_of({"hinge": 4, "slide": 4})),
            ("axis", p * 2, lambda: self.vector(1)), ("pos", p, lambda: self.vector(0.2)), ("ref", p, lambda: number(self.angle(1))),
            ("armature", p, lambda: number(r.uniform(0, 0.5))), ("damping", p, lambda: numbers(r.uniform(0, 2) for _ in range(r.choice([1, 1, 1, 2])))),
            ("frictionloss", p, lambda: number(r.uniform(0, 1))), ("stiffness", p, lambda: number(r.uniform(0, 5))), ("springref", p, lambda: number(self.angle(1))),
            ("springdamper", p * 0.1, lambda: "0.1 1"), ("range", p, lambda: "-1 2"), ("margin", p, lambda: "0.1"), ("actuatorfrcrange", p, lambda: "-5 5"),
            ("actuatorgravcomp", p * 0.3, lambda: "true"), ("group", p, lambda: "1"), ("solreflimit", p * 0.3, lambda: "0.02 1")])
        if self.chance(p):
            out["limited"] = r.choice(["false", "auto"] + ["true"] * ("range" in out))
        return out

    def geom_attributes(self, p):
        r = self.r
        return self.some([
            ("type", p * 2, lambda: self.one_of({"sphere": 2, "capsule": 2, "cylinder": 2, "ellipsoid": 1, "box": 3})),
            ("size", p * 2, lambda: numbers(r.uniform(0.02, 0.3) for _ in range(r.randint(1, 3)))),
            ("mass", p * 0.4, lambda: number(r.choice([0, r.uniform(0.1, 3)]))), ("density", p, lambda: number(r.choice([0, r.uniform(100, 3000), 500]))),
            ("group", p, lambda: str(r.randint(0, 4))), ("pos", p, lambda: self.vector(0.2)), ("shellinertia", p * 0.3, lambda: r.choice(["true", "false"])),
            ("contype", p, lambda: "0"), ("conaffinity", p, lambda: "0"), ("margin", p, lambda: "0.01"), ("rgba", p, lambda: "1 0 0 1"),
            ("friction", p, lambda: "0.5")]) | self.orientation(p)

    def geom(self):
        r = self.r
        out = self.geom_attributes(0.2)
        if self.chance(0.9):
            out["type"] = self.one_of({"sphere": 2, "capsule": 2, "cylinder": 2, "ellipsoid": 1, "box": 3})
            needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}[out["type"]]
            if needed > 1 and "pos" not in out and self.chance(0.2):
                out["fromto"] = self.vector(0.3, 6)
            if self.chance(0.93):
                out["size"] = numbers(r.uniform(0.02, 0.3) for _ in range(3 if self.chance(0.2) else needed))
        if self.chance(0.08):
            out["type"], out["mesh"] = out.get("type", "sphere") if self.chance(0.25) else "mesh", self.mesh()
            out["contype"] = out["conaffinity"] = "0"  # no hull for contacts, which a flat mesh has none of
            if self.chance(0.2):
                out["fitscale"] = number(r.uniform(0.5, 1.5))
            if out["type"] == "mesh":
                out["shellinertia"] = "false"
            out.pop("fromto", None)
        elif self.chance(0.01):
            out |= {"size": "1e-5 1e-5 1e-5", "mass": "1"}  # too small for its mass to count
        return tag("geom", {"name": self.name("g") if self.chance(0.3) else None} | self.maybe_class() | out)

    def inertial(self):
        r = self.r
        out = {"pos": self.vector(0.3), "mass": number(r.uniform(0.05, 4))}
        if self.chance(0.4):
            d = [r.uniform(0.5, 1) if self.chance(0.95) else 3 for _ in range(3)]
            o = [r.uniform(-0.1, 0.1) for _ in range(3)]
            out["fullinertia"] = numbers([0.1 * x for x in d + o])
        else:
            d = sorted(r.uniform(0.2, 1) for _ in range(3))
            if self.chance(0.85):
                d[2] = min(d[2], d[0] + d[1])
            r.shuffle(d)
            out["diaginertia"] = numbers([0.1 * x for x in d]) if self.chance(0.9) else "0.01 0.02 0.03"
            out |= self.orientation(0.6)
        return tag("inertial", out)

    def joint(self):
        out = self.joint_attributes(0.3)
        if self.chance(0.003):
            out["type"] = "ball"
            out.pop("range", None)
        named = {}
        if self.chance(0.85):
            named["name"] = self.name("j")
            if out.get("type") != "ball":
                self.joints.append(named["name"])
        return tag("joint", named | self.maybe_class() | out)

    def framed(self, elements, depth=0):
        """Some of these, in frames."""
        out = []
        for element in elements:
            if depth < 3 and self.chance(0.15):
                attributes = self.pose() | ({"childclass": self.r.choice(self.classes)} if self.chance(0.3) else {})
                if self.chance(0.01):
                    attributes["scale"] = self.r.choice(["1", "1", "1.5"])
                out.append(tag("frame", attributes, self.framed([element], depth + 1)))
            else:
                out.append(element)
        return "".join(out)

    def massive(self):
        """What gives a body mass."""
        want_inertial = self.chance(0.95 if self.from_geoms == "false" else 0.35)
        parts = [self.inertial()] if want_inertial else []
        parts += [self.geom() for _ in range(self.one_of({0: 1, 1: 4, 2: 2}) if want_inertial else self.one_of({1: 5, 2: 3, 3: 1}))]
        return parts

    def body(self, depth, free=False, moving=True):
        r = self.r
        name = self.name("b") if self.chance(0.7) else None
        parts = self.massive() if moving or self.chance(0.6) else []
        if free:
            if self.chance(0.6):
                parts.append(tag("freejoint", self.some([("align", 0.5, lambda: r.choice(["true", "false", "auto"])), ("name", 0.5, lambda: self.name("f"))])))
            else:
                parts.append(tag("joint", {"type": "free"} | self.maybe_class() | self.some([("armature", 0.7, lambda: "0"), ("damping", 0.1, lambda: "1")])))
        elif moving:
            parts += [self.joint() for _ in range(self.one_of({1: 8, 2: 2, 3: 1}))]
        if self.chance(0.2):
            site = self.name("s")
            self.sites.append(site)
            parts.append(tag("site", {"name": site} | self.pose(0.4)))
        if self.chance(0.05):
            parts.append(tag("camera", {}))
        children = []
        while depth < 4 and self.nv < 6 and self.chance(0.6 if depth == 0 else 0.45):
            self.nv += 1
            children.append(self.body(depth + 1))
        if self.chance(0.15):
            children.append(self.body(depth + 1 if self.chance(0.3) else 4, moving=False))
        if self.chance(0.03):
            parts.append(self.replicate(lambda: self.geom()))
        if parts and self.chance(0.003):
            parts.append(tag("frame", {}, self.inertial()))  # perhaps a second one
        r.shuffle(parts)
        attributes = {"name": name} | self.pose() | self.some([("gravcomp", 0.04, lambda: "0.5"), ("simple", 0.03, lambda: "false"), ("fuse", 0.05, lambda: "false")])
        if self.chance(0.25):
            attributes["childclass"] = r.choice(self.classes)
        if name:
            self.bodies.append(name)
        return self.included(tag("body", attributes, self.framed(parts + children)))

    def replicate(self, inside):
        r = self.r
        return tag("replicate", {"count": str(self.one_of({0: 1, 1: 2, 2: 6, 3: 4, 10: 0.3}))} | self.some([
            ("offset", 0.8, lambda: self.vector(0.3)), ("euler", 0.5, lambda: numbers(self.angle(1) for _ in range(3))), ("sep", 0.5, lambda: r.choice(["_", "-"])),
            ("childclass", 0.2, lambda: r.choice(self.classes))]), inside())

    def attach(self):
        """A part of another model, or all of it."""
        r = self.r
        child = File(f"{r.random()}")
        child.depth = self.depth + 1
        child.count = 100 * (len(self.models) + 1) + 1000 * self.depth
        child.folder, child.strip = "", False
        xml = child.text()
        if "free" in xml or "<flag" in xml or re.search(r"<option[^>]* gravity", xml):
            return ""
        name = self.name("a")
        path = f"{name}{child.count}.xml"
        self.parts |= child.parts | {path: re.sub("^<mujoco>", '<mujoco model="its own">', xml)}
        self.models.append(tag("model", {"name": name, "file": path}))
        part = r.choice(child.bodies) if child.bodies and self.chance(0.5) else None
        return "".join(tag("attach", {"model": name, "body": part, "prefix": f"p{k}_"}) for k in range(r.choice([1, 1, 2])))

    def world(self):
        self.nv = 0
        free = self.chance(0.2)
        inside = [self.body(0, free=free, moving=free or self.chance(0.9))]
        if free and self.chance(0.3):
            inside = [self.body(4, free=True)]
            self.joints.clear()
        while not free and self.nv < 4 and self.chance(0.3):
            inside.append(self.body(1))
        if self.chance(0.2):
            inside.append(self.body(4, moving=False))
        if self.chance(0.03):
            inside.append(tag("body", {"mocap": "true"} | self.pose(), tag("geom", {"size": "0.1"}) + (self.body(3) if not free else "")))
        if self.chance(0.4):
            inside.append(tag("geom", {"type": "plane", "size": "1 1 0.1", "class": "main"}))
        if not free and self.nv < 4 and self.chance(0.08):
            self.nv += 2
            body = lambda: self.body(4) + (self.body(4) if self.chance(0.3) else "")
            inside.append(self.replicate(body if self.chance(0.8) else lambda: self.replicate(body)))
        if not free and self.depth < 2 and self.nv < 5 and self.chance(0.5):
            inside.append(self.attach() if self.chance(0.7) else tag("frame", self.pose(), self.attach()))
        if self.chance(0.3):
            inside.append(tag("light", {"pos": "0 0 3"}))
        half = self.r.randint(0, len(inside)) if self.chance(0.1) else len(inside)
        return ["<worldbody>" + self.framed(part) + "</worldbody>" for part in (inside[:half], inside[half:]) if part]

    # What stands beside the tree.

    def actuator_attributes(self, p):
        r = self.r
        return self.some([("armature", p, lambda: number(r.uniform(0, 0.2))), ("gear", p, lambda: numbers(r.uniform(-3, 3) for _ in range(r.choice([1, 1, 6])))),
                          ("damping", p * 0.5, lambda: number(r.uniform(0, 1))), ("ctrlrange", p, lambda: "-1 1"), ("forcerange", p, lambda: "-3 3"), ("group", p * 0.5, lambda: "1")])

    def tendon(self):
        r = self.r
        name = self.name("t")
        p = 0.25
        if self.chance(0.1) and len(self.sites) > 1:
            out = tag("spatial", {"name": name} | self.maybe_class() | self.some([("armature", p / 2, lambda: "0.1"), ("stiffness", 0.3, lambda: "3")]),
                      "".join(tag("site", {"site": s}) for s in r.sample(self.sites, 2)))
        else:
            joints = r.sample(self.joints, 1 if self.chance(0.8) else min(2, len(self.joints)))
            out = tag("fixed", {"name": name} | self.maybe_class() | self.some([("armature", p, lambda: number(r.uniform(0, 0.3))), ("stiffness", 0.3, lambda: "3"), ("range", 0.2, lambda: "-1 1")]),
                      "".join(tag("joint", {"joint": j, "coef": number(r.uniform(-2, 2))}) for j in joints))
        self.tendons.append(name)
        return out

    def actuator(self):
        r = self.r
        kind = r.choice(["motor", "motor", "general", "position", "velocity", "damper", "cylinder"])
        out = self.actuator_attributes(0.3)
        if kind == "damper":
            out["ctrlrange"] = "0 1"
        target = self.one_of({"joint": 8, "jointinparent": 1, "tendon": 2 if self.tendons else 0, "site": 1 if self.sites else 0})
        out[target] = r.choice({"joint": self.joints, "jointinparent": self.joints, "tendon": self.tendons, "site": self.sites}[target])
        if target == "site":
            out.pop("armature", None), out.pop("damping", None)
        return tag(kind, self.maybe_class() | out)

    def equality(self):
        r = self.r
        active = self.some([("active", 0.3, lambda: r.choice(["true", "false"]))])
        if self.chance(0.06) and len(self.bodies) > 1:
            one, two = r.sample(self.bodies, 2)
            active["active"] = active.get("active", self.one_of({"false": 9, "true": 1}))
            return tag("connect", self.maybe_class() | active | {"body1": one, "body2": two, "anchor": "0 0 0"})
        if self.chance(0.2) and self.tendons:
            one = r.choice(self.tendons)
            two = r.choice([t for t in self.tendons if t != one] or [None]) if self.chance(0.7) else None
            return tag("tendon", self.maybe_class() | active | {"tendon1": one, "tendon2": two, "polycoef": numbers([r.uniform(-1, 1), r.uniform(-2, 2), 0, 0, 0]) if self.chance(0.8) else None})
        one, two = r.sample(self.joints, 2)
        coefficients = [r.uniform(-1, 1), r.uniform(-2, 2)] + ([0, 0, 0] if self.chance(0.9) else [0.1, 0, 0])
        return tag("joint", self.maybe_class() | active | {"joint1": one, "joint2": two if self.chance(0.9) else None,
                                                             "polycoef": numbers(coefficients[:r.randint(1, 5)]) if self.chance(0.8) else None})

    def text(self):
        parts = self.settings() + self.defaults()
        world = self.world()
        parts += self.asset()
        if self.joints:
            tendons = [self.tendon() for _ in range(self.one_of({0: 5, 1: 2, 2: 1}))]
            if tendons:
                parts.append(tag("tendon", {}, "".join(tendons)))
            actuators = [self.actuator() for _ in range(self.one_of({0: 3, 1: 3, 2: 2}))]
            if actuators:
                parts.append(self.included(tag("actuator", {}, self.included("".join(actuators)))))
        if len(self.joints) > 1:
            equalities = [self.equality() for _ in range(self.one_of({0: 3, 1: 3, 2: 1}))]
            if equalities:
                parts.append(tag("equality", {}, "".join(equalities)))
        if self.bodies and self.chance(0.1):
            parts.append(tag("sensor", {}, tag("framepos", {"objtype": "body", "objname": self.r.choice(self.bodies)})))
        if self.chance(0.1):
            parts.append("<keyframe/>")
        parts += world
        self.r.shuffle(parts)  # sections come in any order; those of one name keep theirs, whichever that is
        return "<mujoco>" + "".join(parts) + "</mujoco>"


# Numbers.

def reduction(model):
    """Independent joints, and q_joints = G q + offset of all, from the equalities that are active."""
    off = model.opt.disableflags & NO_EQUALITIES
    leaders = {}
    for e in range(model.neq):
        if off or not model.eq_active0[e]:
            continue
        one, two, c = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e]
        simple = lambda j: j >= 0 and model.jnt_type[j] not in (FREE, BALL)
        if model.eq_type[e] == EQUALITY_OF_JOINTS and simple(one) and simple(two) and not c[2:5].any() and one not in leaders:
            ref1, ref2 = (model.qpos0[model.jnt_qposadr[j]] for j in (one, two))
            leaders[one] = (two, c[1], ref1 + c[0] - c[1] * ref2)
        if model.eq_type[e] == EQUALITY_OF_TENDONS and not (two >= 0 and c[2:5].any()):
            terms, linear = {}, True
            for tendon, scale in ((one, 1.0), (two, -c[1])):
                if tendon < 0:
                    continue
                begin = model.tendon_adr[tendon]
                for w in range(begin, begin + model.tendon_num[tendon]):
                    linear = linear and model.wrap_type[w] == JOINT_WRAP
                    if linear:
                        terms[int(model.wrap_objid[w])] = terms.get(int(model.wrap_objid[w]), 0.0) + scale * model.wrap_prm[w]
            terms = [(j, x) for j, x in terms.items() if x != 0]
            if linear and len(terms) == 2 and all(simple(j) for j, _ in terms):
                if terms[0][0] in leaders:
                    terms.reverse()
                (one, a), (two, b) = terms
                if one not in leaders:
                    ref1, ref2 = (model.qpos0[model.jnt_qposadr[j]] for j in (one, two))
                    leaders[one] = (two, -b / a, ref1 + c[0] / a + b / a * ref2)
    free = [j for j in range(model.njnt) if j not in leaders]
    rows = {}

    def row(j, seen=()):
        if j in seen:
            return None
        if j not in rows:
            if j in free:
                rows[j] = (j, 1.0, 0.0)
            else:
                two, c1, c0 = leaders[j]
                head = row(two, seen + (j,))
                rows[j] = head and (head[0], c1 * head[1], c1 * head[2] + c0)
        return rows[j]

    return free, [row(j) for j in range(model.njnt)]


def rotation(quaternion):
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quaternion)
    return flat.reshape(3, 3)


def full_mass(model, data):
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:
        mujoco.mj_fullM(model, M, data.qM)
    return M


def numbers_of(model, seed, states):
    """Per state q, v, M (lower triangle, row by row), bias, gravity of the reduced robot; None where an equality binds a joint to itself."""
    free, rows = reduction(model)
    if any(row is None for row in rows):
        return None
    r = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    is_free = model.njnt > 0 and model.jnt_type[0] == FREE
    scalar = [j for j in free if model.jnt_type[j] != FREE]
    n = len(scalar) + (6 if is_free else 0)
    out = []
    for _ in range(states):
        q, v = np.round(r.uniform(-3, 3, len(scalar)), 3), np.round(r.uniform(-2, 2, n), 3)
        G = np.zeros((model.nv, n))
        mujoco.mj_resetData(model, data)
        base_q = []
        if is_free:
            position, attitude = np.round(r.uniform(-1, 1, 3), 3), r.normal(size=4)
            attitude /= np.linalg.norm(attitude)
            data.qpos[:3], data.qpos[3:7] = position, attitude
            base_q = [*position.tolist(), *attitude[1:].tolist(), float(attitude[0])]
            G[:3, 3:6] = rotation(attitude)
            G[3:6, :3] = np.eye(3)
        for j, (head, factor, offset) in enumerate(rows):
            if model.jnt_type[j] == FREE:
                continue
            k = scalar.index(head)
            data.qpos[model.jnt_qposadr[j]] = factor * q[k] + offset
            G[model.jnt_dofadr[j], k + n - len(scalar)] = factor
        mujoco.mj_forward(model, data)
        gravity = G.T @ data.qfrc_bias
        M = G.T @ full_mass(model, data) @ G
        data.qvel[:] = G @ v
        mujoco.mj_forward(model, data)
        out.append({"q": base_q + q.tolist(), "v": v.tolist(), "M": [float(M[i, k]) for i in range(n) for k in range(i + 1)],
                    "bias": (G.T @ data.qfrc_bias).tolist(), "gravity": gravity.tolist()})
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) or "" for j in scalar]
    return {"names": names, "joints": [properties(model, j) for j in range(model.njnt) if model.jnt_type[j] != FREE], "states": out}


def properties(model, j):
    """Limits, armature, friction and spring of a joint, with what its actuators and tendons of one joint add."""
    dof = model.jnt_dofadr[j]
    limits = model.jnt_range[j].tolist() if model.jnt_limited[j] else None
    damping = float(model.dof_damping[dof])
    for a in range(model.nactuator):
        if model.actuator_trnid[a, 0] == j and int(model.actuator_trntype[a]) in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)):
            damping += float(model.actuator_damping[a] * model.actuator_gear[a, 0] ** 2)
    return [limits, damping, float(model.dof_frictionloss[dof]), float(model.jnt_stiffness[j]), float(model.qpos_spring[model.jnt_qposadr[j]])]


def bytes_of(text):
    return bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode()


def compiled(xml, parts):
    if any("." in name and not name.startswith("part") for name in parts):  # in a new folder: MuJoCo remembers meshes by their path
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (parts | {"robot.xml": xml}).items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(bytes_of(text))
            return mujoco.MjModel.from_xml_path(folder + "/robot.xml")
    return mujoco.MjModel.from_xml_string(xml, {name: text.encode() for name, text in parts.items()})


def usable(model):
    """Neither without joints nor with a singular inertia matrix, which tell nothing of the reading."""
    if model.nv == 0 or any(model.jnt_type[j] == FREE for j in range(1, model.njnt)):
        return False
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    eigenvalues = np.linalg.eigvalsh(full_mass(model, data))
    return eigenvalues[0] > 1e-9 * eigenvalues[-1]


def shortened(value):
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, list):
        return [shortened(v) for v in value]
    return {key: shortened(v) for key, v in value.items()} if isinstance(value, dict) else value


def with_any_attribute(xml, parts, r):
    """The file with one more attribute of MuJoCo's schema, whichever, with whichever value MuJoCo takes: does it matter?"""
    kind, attribute = r.choice(ATTRIBUTES)
    tags = {"actuator": "motor|general|position|velocity", "tendon": "fixed|spatial", "equality": "joint(?= [^>]*joint1)"}.get(kind, kind)
    places = [m for m in re.finditer(f"<(?:{tags})(?![a-z])[^>]*?(?=/?>)", xml) if f" {attribute}=" not in m.group()]
    if not places:
        return xml
    place = r.choice(places)
    for value in r.sample(["true", "false", "auto", "0", "1", "2", "0.3", "0.1 0.2", "0.1 0.2 0.3", "0.5 0.5 0.5 0.5", "enable", "disable", "1 0 0 0 1 0"], 8):
        tried = xml[:place.end()] + f' {attribute}="{value}"' + xml[place.end():]
        try:
            compiled(tried, parts)
            return tried
        except ValueError:
            pass
    return xml


def mesh_files(count, seed, states):
    """One free body whose mass is a mesh's, or a shape's that is fitted to one."""
    files = []
    for index in range(1, count + 1):
        file = File(f"mesh:{seed}:{index}")
        r = file.r
        geom = {"type": "mesh" if file.chance(0.8) else r.choice(["sphere", "capsule", "cylinder", "ellipsoid", "box"]), "mesh": file.mesh(), "contype": "0", "conaffinity": "0"}
        geom |= file.some([("density", 0.3, lambda: "300"), ("mass", 0.3, lambda: "2"), ("fitscale", 0.2, lambda: "1.5"), ("pos", 0.5, file.vector)]) | file.orientation(0.4)
        if geom["type"] != "mesh" and file.chance(0.3):
            geom["shellinertia"] = "true"
        settings = {"angle": "radian" if file.radian else "degree", "fitaabb": "true" if file.chance(0.1) else None, "meshdir": file.folder[:-1] or None, "strippath": "true" if file.strip else None}
        xml = "<mujoco>" + tag("compiler", settings) + "".join(file.asset()) + "<worldbody>" + tag("body", {}, tag("freejoint", {"align": "false"}) + tag("geom", geom)) + "</worldbody></mujoco>"
        try:
            model = compiled(xml, file.parts)
        except ValueError as error:
            if "normal index" in str(error) or "balanceinertia" in str(error):  # of what the file draws; rounding of a flat mesh
                continue
            files.append({"index": index, "xml": xml, "parts": file.parts, "refused": " ".join(str(error).split()), "names": [], "joints": [], "states": []})
            continue
        files.append({"index": index, "xml": xml, "parts": file.parts} | shortened(numbers_of(model, [seed, index], states)))
    return {"mujoco": mujoco.__version__, "seed": seed, "files": files}


def generate(count, seed, states):
    files, refused, why = [], 0, {}
    index = 0
    while len(files) < count:
        index += 1
        file = File(f"{seed}:{index}")
        xml = file.text()
        if file.chance(0.15):
            xml = with_any_attribute(xml, file.parts, file.r)
        try:
            model = compiled(xml, file.parts)
        except ValueError as error:
            refused += 1
            text = " ".join(str(error).split())[:60]
            why[text] = why.get(text, 0) + 1
            continue
        found = numbers_of(model, [seed, index], states) if usable(model) else None
        if found is None:
            continue
        ball = any(model.jnt_type[j] == BALL for j in range(model.njnt))
        files.append({"index": index, "xml": xml, "parts": file.parts} | (shortened(found) if not ball else {"names": [], "joints": [], "states": []}))
    for text, times in sorted(why.items(), key=lambda item: -item[1])[:12]:
        print(f"{times:6} {text}", file=sys.stderr)
    print(f"{len(files)} files of {index}; MuJoCo {mujoco.__version__} refused {refused}", file=sys.stderr)
    return {"mujoco": mujoco.__version__, "seed": seed, "files": files}


def read_back(corpus, written):
    """Largest relative difference between the numbers of the files and those of what Ulna wrote of them."""
    worst, compared = 0.0, 0
    by_index = {file["index"]: file for file in json.load(open(corpus))["files"]}
    for line in json.load(open(written)):
        file = by_index[line["index"]]
        try:
            model = compiled(line["xml"], {})
        except ValueError as error:
            print(f"file {line['index']}: MuJoCo refuses what was written: {error}")
            return 1
        again = states_again(model, file)
        for before, after in zip(file["states"], again):
            for key in ("M", "bias", "gravity"):
                scale = max(map(abs, before["M"])) * (1 if key == "M" else 1 + max(map(abs, before["v"])) ** 2) + (0 if key == "M" else max(map(abs, before[key])))
                difference = max(abs(a - b) for a, b in zip(before[key], after[key])) / scale
                if difference > (3e-7 if "<mesh " in file["xml"] + "".join(file["parts"].values()) else 1e-9):  # MuJoCo finds a mesh's axes to 1.4e-7
                    print(f"file {line['index']}: {key} differs by {difference:.1e}\n{file['xml']}\n{line['xml']}")
                    return 1
                worst = max(worst, difference)
        compared += 1
    print(f"{compared} written files read back by MuJoCo {mujoco.__version__}, to {worst:.1e}")
    return 0


def states_again(model, file):
    """The same states on another model of the same robot."""
    seed, index = file["seed"], file["index"]
    return numbers_of(model, [seed, index], len(file["states"]))["states"]


def schema():
    """Lines of "element attribute", with "tendon", "equality" and "actuator" for what stands in these sections."""
    sections = {"tendon", "equality", "actuator"}
    wanted = {"compiler", "option", "flag", "body", "inertial", "joint", "freejoint", "geom"}
    found, path = set(), []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        words = line.split()
        if len(words) > 1 and words[1] in ("(!)", "(?)", "(*)", "(R)"):
            path = path[:(len(line) - len(line.lstrip())) // 3] + [words[0].replace("(world)", "")]
            words = words[2:]
        kind = path[1] if len(path) == 3 and path[1] in sections else path[-1] if path[-1] in wanted and path[1] in ("compiler", "option", "body") else None
        if kind and len(path) <= 3:
            found |= {(kind, word) for word in words}
    return sorted(found)


# A frame's own attributes are not in the schema that MuJoCo prints, which takes a frame for a body.
ATTRIBUTES = [pair for pair in schema() if pair[1] not in ("name", "class", "childclass", "mesh", "hfield", "material", "user")] + [
    ("frame", name) for name in ("scale", "massscale", "scaling", "quat", "euler")]


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("count", nargs="?", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--states", type=int, default=1)
    options.add_argument("--meshes", action="store_true")
    options.add_argument("--read-back", nargs=2, metavar=("FILES", "WRITTEN"))
    options.add_argument("--schema", action="store_true")
    given = options.parse_args()
    if given.schema:
        print("\n".join(f"{kind} {attribute}" for kind, attribute in schema()))
        return 0
    if given.read_back:
        return read_back(*given.read_back)
    found = (mesh_files if given.meshes else generate)(given.count, given.seed, given.states)
    # One file a line, so that a change shows where it is.
    head = {key: value for key, value in found.items() if key != "files"}
    print(json.dumps(head)[:-1] + ', "files": [')
    print(",\n".join(json.dumps(file | {"seed": found["seed"]}, separators=(",", ":")) for file in found["files"]) + "]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
