"""What the frozen application starts with."""

from pprl_desktop.__main__ import main

if __name__ == "__main__":
    raise SystemExit(main())
