"""The program ``ulna``: the commands that C++ users have, run inside this process. ``python -m ulna --help`` lists them."""

from __future__ import annotations

import os
import signal
import sys

from . import _core


def main() -> int:
    """Runs ``sys.argv`` and returns the exit status: 0 done, 1 the answer is no, 2 the input or the call is wrong."""
    sys.stdout.flush()  # what follows goes past Python's buffers
    # As for any program, Ctrl-C and a closed pipe end it; Python would only take note of them.
    for name in ("SIGINT", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    return _core.run_program([os.fsencode(word) for word in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
