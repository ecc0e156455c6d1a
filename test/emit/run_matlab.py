"""Runs generated MATLAB without MATLAB: each function's assignments as Python, on the states of its self-test. Arguments: the robot's name, functions."""
import math
import re
import sys


def element(match):
    return "%s[%d]" % (match.group(1), int(match.group(2)) - 1)


def text_of(name, what):
    return [line for line in open("%s_%s.m" % (name, what)) if not line.startswith("%")]


def sign(numbers):
    return [sign(x) for x in numbers] if isinstance(numbers, list) else (numbers > 0) - (numbers < 0)


def value(name, what, numbers):
    """Results of a function whose arguments' numbers stand one after the other."""
    text = text_of(name, what)
    result, arguments = re.match(r"function (\w+) = \w+\((.*)\)", text[0]).groups()
    arguments = arguments.split(", ")
    sizes = [int(x) for x in re.findall(r"~isequal\(size\(\w+\), \[(\d+), count\]\)", "".join(text))]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    if len(sizes) != len(arguments) or sum(sizes) != len(numbers):
        sys.exit("%s_%s: arguments of %s rows, but %d numbers" % (name, what, sizes, len(numbers)))
    count = int(re.search(r"zeros\((\d+), count", "".join(text)).group(1))
    for rows, columns in re.findall(r"reshape\(\w+, (\d+), (\d+), count\)", "".join(text)):
        if int(rows) * int(columns) != count:
            sys.exit("%s_%s: a matrix of %s x %s, but %d numbers" % (name, what, rows, columns, count))
    values = {x: numbers[start:start + size] for x, start, size in zip(arguments, starts, sizes)}
    values[result] = [math.nan] * count
    known = {"math": math, "sign": sign, "exp": math.exp, "tanh": math.tanh, name + "_speeds": lambda q, v: value(name, "speeds", q + v)}
    for line in text[1:]:
        if not re.match(r"\w+(\(\d+,:\))? = ", line) or re.search(r"size\(|zeros\(|reshape\(", line):
            continue
        line = re.sub(r"(\w+)\((\d+),:\)", element, line).rstrip(";\n")
        line = re.sub(r" = (sin|cos)\(angles\)$", r" = [math.\1(x) for x in angles]", line).replace("; ", ", ")
        exec(line.replace(".*", "*").replace("./", "/").replace(".^", "**"), known, values)
    return values[result]


def run(name, what, tables):
    for state, wanted, most in zip(*tables):
        got = value(name, what, state)
        if len(got) != len(wanted):
            sys.exit("%s_%s: %d numbers, not %d" % (name, what, len(got), len(wanted)))
        for x, right in zip(got, wanted):
            if not abs(x - right) <= most[0]:
                sys.exit("%s_%s: %r, not %r" % (name, what, x, right))


def main():
    name, functions = sys.argv[1], sys.argv[2:]
    blocks = re.findall(r"^\w+ = \[\n(.*?)^\];", open(name + "_selftest.m").read(), re.S | re.M)
    tables = [[[float(x) for x in row.split(",")] for row in block.splitlines()] for block in blocks]
    if len(tables) != 3 * len(functions) or not tables:
        sys.exit("%d tables for %d functions" % (len(tables), len(functions)))
    for k, what in enumerate(functions):
        run(name, what, tables[3 * k:3 * k + 3])


main()
