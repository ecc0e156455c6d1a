"""What is wrong with a file, all of it at once."""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple


class Problem(NamedTuple):
    """One problem of a file: where it is, what is wrong, what to do."""

    severity: str  #: "error", "warning" or "note"
    file: str
    line: int  #: 1 is the first; 0 when no line applies
    element: str  #: what it is about, for example "link 'wrist'"
    cause: str
    cure: str
    physical: bool  #: breaks a law of mechanics; ``unchecked=True`` passes it
    overridden: bool  #: was passed by ``unchecked=True``
    text: str  #: all of it in one line
    chain: str = ""  #: the macros that made the element, the innermost call first (docs/xacro.md)

    def __str__(self) -> str:
        return self.text


class SourceError(ValueError):
    """A robot or scenario that could not be loaded. ``problems`` lists every problem, with its line; ``str()`` has a line for each."""

    problems: tuple[Problem, ...]

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(p.text for p in problems if p.severity != "note"))

    def __reduce__(self) -> tuple[type[SourceError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class SourceNotFound(SourceError, FileNotFoundError):
    """There is no such file and no built-in robot or scenario of that name."""


class SourceWarning(UserWarning):
    """Something odd in a file that does not keep it from being computed."""


def _callers_level() -> int:
    """How far up the stack, from the caller of this, the line stands that called the package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def settle(rows: list[tuple[str, str, int, str, str, str, bool, bool, str, str]], given: bool, found: bool) -> tuple[Problem, ...]:
    """Raises SourceError when nothing was given; else warns of what is to be warned of."""
    problems = tuple(Problem(*row) for row in rows)
    if not given:
        raise (SourceError if found else SourceNotFound)(problems)
    for problem in problems:
        if problem.severity == "warning":
            warnings.warn(problem.text, SourceWarning, stacklevel=_callers_level())
    return problems
