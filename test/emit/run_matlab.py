"""Runs generated MATLAB without MATLAB: each function's assignments as Python, on the states of its self-test. Arguments: the robot's name, functions."""
import math
import re
import sys


def element(match):
    return "%s[%d]" % (match.group(1), int(match.group(2)) - 1)


def run(name, what, tables):
    inputs, expected, tolerance = tables
    text = [line for line in open("%s_%s.m" % (name, what)) if not line.startswith("%")]
    result, arguments = re.match(r"function (\w+) = \w+\((.*)\)", text[0]).groups()
    arguments = arguments.split(", ")
    sizes = [int(x) for x in re.findall(r"~isequal\(size\(\w+\), \[(\d+), count\]\)", "".join(text))]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    if len(sizes) != len(arguments) or sum(sizes) != len(inputs[0]):
        sys.exit("%s_%s: arguments of %s rows, but %d numbers" % (name, what, sizes, len(inputs[0])))
    for rows, columns in re.findall(r"reshape\(\w+, (\d+), (\d+), count\)", "".join(text)):
        if int(rows) * int(columns) != len(expected[0]):
            sys.exit("%s_%s: a matrix of %s x %s, but %d numbers" % (name, what, rows, columns, len(expected[0])))
    for state, wanted, most in zip(inputs, expected, tolerance):
        values = {x: state[start:start + size] for x, start, size in zip(arguments, starts, sizes)}
        values[result] = [math.nan] * len(wanted)
        for line in text[1:]:
            if not re.match(r"\w+(\(\d+,:\))? = ", line) or re.search(r"size\(|zeros\(|reshape\(", line):
                continue
            line = re.sub(r"(\w+)\((\d+),:\)", element, line).rstrip(";\n")
            line = re.sub(r" = (sin|cos)\(angles\)$", r" = [math.\1(x) for x in angles]", line).replace("; ", ", ")
            line = re.sub(r" = sign\(v\)$", r" = [(x > 0) - (x < 0) for x in v]", line)
            exec(line.replace(".*", "*").replace("./", "/"), {"math": math}, values)
        for got, right in zip(values[result], wanted):
            if not abs(got - right) <= most[0]:
                sys.exit("%s_%s: %r, not %r" % (name, what, got, right))


def main():
    name, functions = sys.argv[1], sys.argv[2:]
    blocks = re.findall(r"^\w+ = \[\n(.*?)^\];", open(name + "_selftest.m").read(), re.S | re.M)
    tables = [[[float(x) for x in row.split(",")] for row in block.splitlines()] for block in blocks]
    if len(tables) != 3 * len(functions) or not tables:
        sys.exit("%d tables for %d functions" % (len(tables), len(functions)))
    for k, what in enumerate(functions):
        run(name, what, tables[3 * k:3 * k + 3])


main()
