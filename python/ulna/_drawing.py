"""A robot in a notebook: its joints as a table, and a small drawing, at q = 0 where no loops say otherwise."""

from __future__ import annotations

from html import escape
from math import cos, inf, radians, sin
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._robot import Robot

_SIZE, _MARGIN = 220.0, 16.0


def _number(value: float) -> str:
    return "" if abs(value) == inf else f"{value:.4g}"


def _on_paper(point: tuple[float, float, float]) -> tuple[float, float]:
    """Parallel projection from the front, right and above; z points up."""
    x, y, z = point
    turn, tilt = radians(35), radians(20)
    right = x * cos(turn) - y * sin(turn)
    depth = x * sin(turn) + y * cos(turn)
    return right, -(z * cos(tilt) - depth * sin(tilt))


def robot_svg(skeleton: list[tuple[int, str, tuple[float, float, float]]]) -> str:
    """Lines from joint to joint; circles are revolute joints, squares prismatic ones."""
    points = [_on_paper(place) for _, _, place in skeleton]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    extent = max(max(x for x, _ in points) - left, max(y for _, y in points) - top) or 1.0
    scale = (_SIZE - 2 * _MARGIN) / extent
    placed = [(_MARGIN + scale * (x - left), _MARGIN + scale * (y - top)) for x, y in points]
    width, height = (max(sizes) + _MARGIN for sizes in zip(*placed))
    parts = []
    for (parent, _, _), (x, y) in zip(skeleton, placed):
        if parent >= 0:
            px, py = placed[parent]
            parts.append(f'<line x1="{px:.1f}" y1="{py:.1f}" x2="{x:.1f}" y2="{y:.1f}" stroke="#456" stroke-width="4" stroke-linecap="round"/>')
    for (_, kind, _), (x, y) in zip(skeleton, placed):
        if kind == "root":
            parts.append(f'<path d="M{x - 9:.1f} {y + 6:.1f}h18" stroke="#456" stroke-width="4"/>')
        elif kind == "prismatic":
            parts.append(f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="#fff" stroke="#c50" stroke-width="2"/>')
        elif kind != "fixed":
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#fff" stroke="#c50" stroke-width="2"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
        "<title>the robot at its reference</title>" + "".join(parts) + "</svg>"
    )


def robot_html(robot: Robot, skeleton: list[tuple[int, str, tuple[float, float, float]]]) -> str:
    rows = []
    for k, joint in enumerate(robot.joints):
        cells = [str(k), joint.name, joint.type, joint.parent, joint.child, joint.unit]
        cells += [_number(x) for x in (joint.lower, joint.upper, joint.effort, joint.velocity)]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("", "joint", "type", "parent", "child", "unit", "lower", "upper", "effort", "velocity"))
    return (
        f"<div><b>{escape(robot.name)}</b>: {len(robot.joints)} joints, {len(robot.links)} links, {robot.mass:.6g} kg"
        f'<div style="display:flex;align-items:center;gap:1em;flex-wrap:wrap">{robot_svg(skeleton)}'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></div>"
    )
