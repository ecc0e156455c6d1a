"""What acts on a robot besides its drives: wrenches on links, a base that moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

from ._numbers import real, vector

if TYPE_CHECKING:
    import numpy.typing as npt

    Three = Union[Sequence[float], npt.NDArray[Any]]


@dataclass(frozen=True)
class Wrench:
    """What the environment exerts on a link, at the origin of its frame.

    :param link: its name.
    :param force: [N], three numbers; or (N, 3), those of each state of a batch.
    :param moment: about the link's origin [N m]; likewise.
    :param axes: in which both are given: the "link"'s own, or the "world"'s, which are those of the root link.

    >>> import numpy as np, ulna
    >>> dyn = ulna.Dynamics("panda")
    >>> q = np.array([0.1, 0.4, -0.2, -1.6, 0.3, 1.9, 0.5]); push = ulna.Wrench("hand", force=(0, 0, -20), axes="world")
    >>> tau = dyn.bias(q, 0 * q, wrenches=[push])                 # holds the arm while 20 N press the hand down
    >>> np.allclose(dyn.bias(q, 0 * q) - tau, dyn.jacobian(q, "hand").T @ [0, 0, 0, 0, 0, -20])
    True
    """

    link: str
    force: Three = (0.0, 0.0, 0.0)
    moment: Three = (0.0, 0.0, 0.0)
    axes: Literal["link", "world"] = "link"


if TYPE_CHECKING:
    Wrenches = Union[Iterable[Wrench], Mapping[str, npt.NDArray[Any]]]


def per_state(wrenches: Wrenches) -> list[tuple[str, bool, Any]]:
    """Link, whether its axes are the world's, and an array of force and moment; empty where all wrenches are six numbers, as :func:`rows` takes them."""
    if isinstance(wrenches, Mapping):
        return [(link, False, numbers) for link, numbers in wrenches.items()]
    if isinstance(wrenches, Wrench):
        return []  # refused by rows()
    given = [(wrench, real("force", wrench.force), real("moment", wrench.moment)) for wrench in wrenches if isinstance(wrench, Wrench)]
    if all(force.ndim == moment.ndim == 1 for _, force, moment in given):
        return []
    import numpy as np

    made = []
    for wrench, force, moment in given:
        if force.shape[-1:] != (3,) or moment.shape[-1:] != (3,) or max(force.ndim, moment.ndim) > 2:
            raise ValueError(f"force and moment have the shapes {force.shape} and {moment.shape}, but must have (3,) or (N, 3)")
        if wrench.axes not in ("link", "world"):
            raise ValueError(f"axes is {wrench.axes!r}, but must be 'link' or 'world'")
        try:
            force, moment = np.broadcast_arrays(force, moment)
        except ValueError:
            raise ValueError(f"force has the shape {force.shape}, but moment has {moment.shape}") from None
        made.append((wrench.link, wrench.axes == "world", np.concatenate((force, moment), axis=-1)))
    return made


def rows(wrenches: Wrenches) -> list[tuple[str, bool, list[float]]]:
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
