"""No argument: the window; a verb: the same work headless."""

from __future__ import annotations

import sys


def main() -> int:
    import multiprocessing

    multiprocessing.freeze_support()
    from pprl_desktop import cli

    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())
