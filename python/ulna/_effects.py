"""What acts on a robot besides its drives: wrenches on links, a base that moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ._numbers import vector


@dataclass(frozen=True)
class Wrench:
    """What the environment exerts on a link, at the origin of its frame.

    :param link: its name.
    :param force: [N]
    :param moment: about the link's origin [N m].
    :param axes: in which both are given: the "link"'s own, or the "world"'s, which are those of the root link.

    >>> import numpy as np, ulna
    >>> dyn = ulna.Dynamics("panda")
    >>> q = np.array([0.1, 0.4, -0.2, -1.6, 0.3, 1.9, 0.5]); push = ulna.Wrench("hand", force=(0, 0, -20), axes="world")
    >>> tau = dyn.bias(q, 0 * q, wrenches=[push])                 # holds the arm while 20 N press the hand down
    >>> np.allclose(dyn.bias(q, 0 * q) - tau, dyn.jacobian(q, "hand").T @ [0, 0, 0, 0, 0, -20])
    True
    """

    link: str
    force: Sequence[float] = (0.0, 0.0, 0.0)
    moment: Sequence[float] = (0.0, 0.0, 0.0)
    axes: Literal["link", "world"] = "link"


def rows(wrenches: Iterable[Wrench]) -> list[tuple[str, bool, list[float]]]:
    """As the extension module takes them."""
    if isinstance(wrenches, Wrench):
        raise TypeError("wrenches is a Wrench, but must be a list of them: wrenches=[...]")
    given = []
    for wrench in wrenches:
        if not isinstance(wrench, Wrench):
            raise TypeError(f"wrenches has {wrench!r} in it, which is no ulna.Wrench")
        if wrench.axes not in ("link", "world"):
            raise ValueError(f"axes is {wrench.axes!r}, but must be 'link' or 'world'")
        if len(wrench.force) != 3 or len(wrench.moment) != 3:
            raise ValueError(f"force and moment have {len(wrench.force)} and {len(wrench.moment)} numbers, but must have 3 each")
        given.append((wrench.link, wrench.axes == "world", vector("force", wrench.force) + vector("moment", wrench.moment)))
    return given


def six(name: str, numbers: Sequence[float] | None) -> list[float]:
    """Of a velocity or acceleration of the base; none where none is given."""
    return [] if numbers is None else vector(name, numbers)
