"""Where heavy work runs, as window and terminal choose it: threads of this computer, or a cluster."""

from __future__ import annotations

from pprl_desktop.compute.engines import in_use
from pprl_desktop.matching.engines.cluster import THREADS as THREADS
from pprl_desktop.matching.engines.cluster import Place as Place
from pprl_desktop.matching.engines.cluster import at as at
from pprl_desktop.matching.engines.cluster import place as place


def threads() -> int:
    """Of the cluster in use; 0: none is."""
    cluster = in_use()
    return 0 if cluster is None else cluster.threads()
