"""Writes the papers' headers with their misprints as switches: misprints.py TABLE FORMULATIONS OUT."""
import pathlib
import sys

COPIED = ("as_written turney_link newton_euler modified_newton_euler strobing lagrange hollerbach uicker_kahn hollerbach_3x3 nasser_algebra nasser driving_axis composite_bias lin steiner "
          "renaud kane_stanford-inl").split()

table, source, out = (pathlib.Path(argument) for argument in sys.argv[1:4])
rows = [[part.strip() for part in line.split(" | ")] for line in table.read_text().splitlines() if line and not line.startswith("#")]
texts = {f"{name}.hpp": (source / f"{name}.hpp").read_text() for name in COPIED if (source / f"{name}.hpp").exists()}
for number, (name, header, right, printed) in enumerate(rows):
    if texts[header].count(right) != 1:
        sys.exit(f"{table}: {name}: {right!r} stands {texts[header].count(right)} times in {header}, not once")
    switch = f"printed({number})"
    if right.endswith(";"):
        by = f"if ({switch}) {{ {printed} }} else {{ {right} }}"
    elif " : " in right:
        (one, other), (wrong, wrong_other) = right.split(" : "), printed.split(" : ")
        by = f"({switch} ? T({wrong}) : T({one})) : ({switch} ? T({wrong_other}) : T({other}))"
    else:
        by = f"({switch} ? decltype({right})({printed}) : {right})"
    texts[header] = texts[header].replace(right, by)
out.mkdir(parents=True, exist_ok=True)
for header, text in texts.items():
    text = text.replace("namespace ulna::internal", "namespace ulna::internal::misprinted")
    for copied in texts:
        text = text.replace(f'#include "formulation/{copied}"', f'#include "misprinted/{copied}"')
    (out / header).write_text(text)
names = "".join(f'  "{name}",\n' for name, *_ in rows)
(out / "names.hpp").write_text(f"inline const std::vector<const char*> kMisprints = {{\n{names}}};\n")
