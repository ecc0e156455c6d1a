"""As much of numpy as generated modules use, for machines without it: arrays of one or two axes, row by row."""
import math

float32, float64 = "float32", "float64"


class Row:
    """One row of an array with two axes: arithmetic element by element, with numbers for all elements."""

    def __init__(self, numbers):
        self.numbers = [float(x) for x in numbers]

    def _with(self, other, operation):
        others = other.numbers if isinstance(other, Row) else [other] * len(self.numbers)
        if len(others) != len(self.numbers):
            raise ValueError("rows of %d and %d numbers" % (len(self.numbers), len(others)))
        return Row([operation(x, y) for x, y in zip(self.numbers, others)])

    def __add__(self, other):
        return self._with(other, lambda x, y: x + y)

    def __radd__(self, other):
        return self._with(other, lambda x, y: y + x)

    def __sub__(self, other):
        return self._with(other, lambda x, y: x - y)

    def __rsub__(self, other):
        return self._with(other, lambda x, y: y - x)

    def __mul__(self, other):
        return self._with(other, lambda x, y: x * y)

    def __rmul__(self, other):
        return self._with(other, lambda x, y: y * x)

    def __truediv__(self, other):
        return self._with(other, lambda x, y: x / y)

    def __rtruediv__(self, other):
        return self._with(other, lambda x, y: y / x)

    def __neg__(self):
        return Row([-x for x in self.numbers])

    def __getitem__(self, index):
        return self.numbers[index]


class Array:
    def __init__(self, rows, shape):
        self.rows, self.shape = rows, shape

    def __getitem__(self, index):
        return self.rows[index]

    def __setitem__(self, index, value):
        if len(self.shape) == 1:
            self.rows[index] = float(value)
        else:
            self.rows[index] = Row([0.0] * self.shape[1]) + value

    def __iter__(self):
        return iter(self.rows)

    def reshape(self, shape):
        """Only what the generated modules do: the first axis split in two, or put together again; rows stay what they are."""
        if math.prod(shape) != math.prod(self.shape):
            raise ValueError("shapes %s and %s" % (self.shape, shape))
        return Array(self.rows, self.shape if len(shape) > 2 or len(shape) != len(self.shape) else shape)


def array(numbers, dtype=float64):
    if isinstance(numbers, Array):
        return numbers
    if isinstance(numbers[0], (list, tuple)):
        return Array([Row(row) for row in numbers], (len(numbers), len(numbers[0])))
    return Array([float(x) for x in numbers], (len(numbers),))


asarray = array


def empty(shape, dtype=float64):
    nan = float("nan")
    return array([nan] * shape[0] if len(shape) == 1 else [[nan] * shape[1]] * shape[0], dtype)


def _each(function, x):
    return Row([function(y) for y in x.numbers]) if isinstance(x, Row) else function(x)


def sin(x):
    return _each(lambda y: math.sin(y) if math.isfinite(y) else math.nan, x)


def cos(x):
    return _each(lambda y: math.cos(y) if math.isfinite(y) else math.nan, x)


def sign(x):
    return _each(lambda y: (y > 0) - (y < 0), x)


def exp(x):
    return _each(math.exp, x)


def tanh(x):
    return _each(math.tanh, x)


def fabs(x):
    return _each(math.fabs, x)


def power(x, exponent):
    return _each(lambda y: y**exponent, x)
