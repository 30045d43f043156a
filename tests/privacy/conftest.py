"""Lets the tests of this room share `people`, whatever way pytest imports them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
