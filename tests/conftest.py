"""Shared by all tests: Qt without a screen, and where the optional shared data lie."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.stuck import Watch

# a busy machine is no fault of the product; in CI the same examples every time, elsewhere new ones
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PPRL_STATE"] = str(Path(tempfile.gettempdir()) / "pprl-tests-state")

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Watch(), "stuck")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of benchmark data beside the project; tests that want it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("the shared data are not beside the project")
    return SHARED
