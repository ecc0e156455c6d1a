"""Numbers that a caller gives, by one rule: real ones. Booleans, complex numbers, texts and objects are refused, with the argument's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def real(name: str, given: Any) -> npt.NDArray[np.float64]:
    """Of any shape, as float64."""
    listed = given is None or hasattr(given, "__array__") or not hasattr(given, "__iter__") or isinstance(given, (list, tuple, str))
    return _core.real_array(name, given if listed else list(given))


def vector(name: str, given: Any) -> list[float]:
    """Some numbers one after the other.

    >>> vector("v", (1, 2.5))
    [1.0, 2.5]
    >>> vector("v", [True, False])
    Traceback (most recent call last):
    TypeError: v has dtype bool, but must hold real numbers: float64 or float32
    """
    if type(given) in (list, tuple) and {*map(type, given)} <= {float, int}:  # as most are, without NumPy
        try:
            return [*map(float, given)]
        except OverflowError:  # told below
            pass
    array = real(name, given)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, but must be one row of numbers")
    return [float(x) for x in array]


def number(name: str, given: Any) -> float:
    """One."""
    if type(given) is float:
        return given
    array = real(name, given)
    if array.ndim != 0:
        raise ValueError(f"{name} has shape {array.shape}, but must be one number")
    return float(array)
