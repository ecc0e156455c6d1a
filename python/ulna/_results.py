"""Results: plain dicts, with a few attributes for what is used most, and tables by pandas."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs the package pandas: pip install pandas") from None
    return pandas


class Verification(dict[str, Any]):
    """What :func:`ulna.verify` found: ``robot``, ``model_hash``, ``samples``, ``seed``, ``agree``, ``formulations``, ``laws``, ``witnesses``, and ``exact`` where asked for. True when all agree."""

    def __bool__(self) -> bool:
        return bool(self["agree"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row a formulation and quantity."""
        return _pandas().DataFrame(self["formulations"])

    def laws_to_pandas(self) -> Any:
        """A DataFrame with a row a law of mechanics."""
        return _pandas().DataFrame(self["laws"])


class ProofReport(dict[str, Any]):
    """What :func:`ulna.prove` found: ``proof``, ``robot``, ``samples``, ``seed``, ``tolerance``, ``symbolic``, ``agree``, ``steps``, ``misprints``. True when the proof holds."""

    def __bool__(self) -> bool:
        return bool(self["agree"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row an equation."""
        return _pandas().DataFrame(self["steps"])


class Explanation(dict[str, Any]):
    """What :func:`ulna.explain` found: ``agree``, ``causes`` (each with ``kind``, ``where``, ``share``, ``from``, ``to``, ``edit``, ``residual_after``, ``also``), ``difference`` and ``residual``. True when the two agree."""

    def __bool__(self) -> bool:
        return bool(self["agree"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row a cause."""
        return _pandas().DataFrame(self["causes"])


class Count(dict[str, Any]):
    """What :func:`ulna.count` counted: ``robot``, ``joints``, ``formulations`` and ``best``, the program that the search found for each quantity."""

    def to_pandas(self) -> Any:
        """A DataFrame with a row a formulation and quantity; those that do not take the robot are left out. "best" is the program that the search found."""
        quantities = {"inverse": "torque", "mass": "mass", "bias": "bias", "forward": "acceleration"}
        rows = []
        for row in self["formulations"]:
            if row["why_not"]:
                continue
            written = {f"written_{k}": n for k, n in row["as_written"].items()}
            rows.append({"id": row["id"], "quantity": row["quantity"], **written, **(row["minimal"] or {})})
        for name, best in self["best"].items():
            rows.append({"id": "best", "quantity": quantities[name], **{k: best[k] for k in ("mul", "add", "div", "sincos")}})
        return _pandas().DataFrame(rows)


class Simulation(dict[str, Any]):
    """A run: ``t`` (R,) [s]; ``q`` (R, nq), ``v``, ``a``, ``tau`` (R, nv), those of a base that moves first, by ``q_names``, ``v_names`` and ``tau_names``; ``kinetic``, ``potential``, ``work`` (R,) [J]; ``audit``, ``events``, ``ending``, ``end``,
    ``q_end``, ``v_end``, where there is a reference ``tracking``, and more."""

    @property
    def t(self) -> Array:
        """Times of the rows [s], (R,)."""
        return self["t"]  # type: ignore[no-any-return]

    @property
    def q(self) -> Array:
        """Positions [rad, m], (R, nq)."""
        return self["q"]  # type: ignore[no-any-return]

    @property
    def v(self) -> Array:
        """Velocities [rad/s, m/s], (R, nv)."""
        return self["v"]  # type: ignore[no-any-return]

    @property
    def a(self) -> Array:
        """Accelerations [rad/s², m/s²], (R, nv)."""
        return self["a"]  # type: ignore[no-any-return]

    @property
    def tau(self) -> Array:
        """Torques of the drives [N m, N], (R, nv)."""
        return self["tau"]  # type: ignore[no-any-return]

    @property
    def audit(self) -> dict[str, Any]:
        """Energy against work, momenta that should stay, the smallest pivot of M, and the closing check."""
        return self["audit"]  # type: ignore[no-any-return]

    @property
    def done(self) -> bool:
        """It came to its end, and inverse dynamics of the motion gives the torques that caused it."""
        return self["ending"] == "done" and bool(self["audit"]["closed"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row a time and columns q.JOINT, v.JOINT, a.JOINT, tau.JOINT, kinetic, potential, work; its index is t."""
        columns = {}
        for quantity in ("q", "v", "a", "tau"):
            for k, name in enumerate(self[{"q": "q_names", "tau": "tau_names"}.get(quantity, "v_names")]):
                columns[f"{quantity}.{name}"] = self[quantity][:, k]
        for quantity in ("kinetic", "potential", "work"):
            columns[quantity] = self[quantity]
        pandas = _pandas()
        return pandas.DataFrame(columns, index=pandas.Index(self["t"], name="t"))


class Study(dict[str, Any]):
    """What :func:`ulna.study` did and wrote: ``robot``, ``page`` (the path of index.html), ``good``, ``steps``, ``files``. True when all is well."""

    def __bool__(self) -> bool:
        return bool(self["good"])

    @property
    def page(self) -> str:
        """The path of the page to open."""
        return self["page"]  # type: ignore[no-any-return]

    @property
    def report(self) -> dict[str, Any]:
        """Everything that the page shows, as plain values: report.json, read from the folder."""
        import json

        with open(os.path.join(os.path.dirname(self.page), "report.json"), encoding="utf-8") as stream:
            return json.load(stream)  # type: ignore[no-any-return]

    def to_pandas(self) -> Any:
        """A DataFrame with a row a step: name, result, seconds, good."""
        return _pandas().DataFrame(self["steps"])
