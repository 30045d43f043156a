"""The cluster the steward configured: its address, its certificates and the folder its workers share."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.compute.engines import using
from pprl_desktop.matching.engines.places import Place as Place
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.matching.engines.dask import Cluster

THREADS = "threads"
_ADDRESS = re.compile(r"dask:tls://(?P<host>\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(?P<port>[0-9]{1,5})")


def place(
    engine: str, ca: Path | None, certificate: Path | None, key: Path | None, folder: Path | None
) -> Place | None:
    """None: threads of this computer. What was configured is checked before anything is connected."""
    if engine == THREADS:
        return None
    found = _ADDRESS.fullmatch(engine)
    if found is None or not 0 < int(found["port"]) < 65536:
        raise Problem(
            Said("'{engine}' is not an engine.", engine=engine),
            "An engine is 'threads', or the address of a Dask scheduler that speaks TLS. A connection without TLS is "
            "never made: others in the network could read what passes.",
            "Write dask:tls://HOST:PORT, with the address that your administrators gave you.",
            place="engine",
        )
    given = {"--tls-ca": ca, "--tls-cert": certificate, "--tls-key": key, "--cluster-folder": folder}
    missing = [name for name, path in given.items() if path is None]
    if missing:
        raise Problem(
            Said("For a cluster {missing:and} must be given too.", missing=missing),
            "The connection needs both sides' certificates, and the workers a folder that they share with this "
            "computer.",
            "Ask your administrators for the certificates and the folder.",
            place="engine",
        )
    assert ca is not None
    assert certificate is not None
    assert key is not None
    assert folder is not None
    for path, name in ((ca, "--tls-ca"), (certificate, "--tls-cert"), (key, "--tls-key")):
        if not path.is_file():
            raise Problem(Said("The file of {name} was not found.", name=name), do="Check its path.", place="engine")
    if not folder.is_dir():
        raise Problem(
            "The folder that the workers share was not found.",
            do="Check its path, and that the network drive is connected.",
            place="engine",
        )
    if importlib.util.find_spec("distributed") is None:
        raise Problem(
            "The part for clusters is not installed.",
            "It is not needed on one workstation, so it is left out.",
            "Install it with: pip install 'pprl-desktop[cluster]'. Or leave the engine out.",
            place="engine",
        )
    return Place(f"tls://{found['host']}:{found['port']}", ca, certificate, key, folder)


@contextmanager
def at(where: Place | None, progress: Progress = NO_PROGRESS) -> Iterator[Cluster | None]:
    """Blocks run there within the block; in threads of this computer without a place."""
    if where is None:
        yield None
        return
    from pprl_desktop.matching.engines.dask import connected

    with connected(where, progress) as cluster, using(cluster):
        yield cluster
