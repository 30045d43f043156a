"""Blocks on a Dask cluster of the own organisation: the one module that may load a network module.

Only TLS addresses are connected (cluster.py). Work is packed into the shared folder once; tasks name it. They have
deterministic names, are tried again elsewhere when a worker dies, and each finished one lies sealed in the folder: when
the scheduler dies or the lid is closed, the next try does only what is missing. Results come in the order of the
blocks, so they are the same to the bit as in threads.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client, Future, KilledWorker, Security
from distributed.comm import CommClosedError

from pprl_desktop import files
from pprl_desktop.compute import packing
from pprl_desktop.compute.engines import Portable
from pprl_desktop.matching.engines import remote
from pprl_desktop.matching.engines.places import Place
from pprl_desktop.matching.engines.store import Damaged, Store
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

R = TypeVar("R")

PIECES = 12  # tasks per thread of the cluster and stage: enough to even out, few enough to cost nothing
LEAST_PIECES = 4  # stages with fewer blocks run here: sending them would take longer
AHEAD = 3  # tasks per thread that are handed out at once
RETRIES = 3  # of a task that failed
LOOK_EVERY = 0.03  # s: Cancel is heard within this
CONNECT = 10.0  # s to wait for the scheduler
PATIENCE = 900.0  # s that a lost scheduler is waited for before the work is given up
KEY_FILE = "cluster.key"  # beside the certificates' key: seals finished blocks over a restart


@contextmanager
def connected(where: Place, progress: Progress = NO_PROGRESS) -> Iterator[Cluster]:
    store = Store(where.folder)
    try:
        store.prepare()
    except OSError as error:
        raise files.refused(error) from error
    cluster = Cluster(where, store)
    progress.at(0.0, Said("Connecting to {host}", host=where.host))
    cluster.connect(CONNECT)
    try:
        cluster.check_workers()
        yield cluster
        cluster.forget()
    finally:
        cluster.close()


class Cluster:
    """The engine. What it has written stays in the folder until a run ends well."""

    def __init__(self, where: Place, store: Store) -> None:
        self._where, self._store = where, store
        self._client: Client | None = None
        self._key = _key(where)
        self._run = secrets.token_hex(4)  # a cancelled task's name is not taken again

    @property
    def name(self) -> str:
        return self._where.host

    # ---- connection ---------------------------------------------------------------------------

    def connect(self, timeout: float) -> None:
        security = Security(
            tls_ca_file=str(self._where.ca),
            tls_client_cert=str(self._where.certificate),
            tls_client_key=str(self._where.key),
            require_encryption=True,
        )
        try:
            self._client = Client(
                self._where.address, security=security, timeout=timeout, set_as_default=False, name="pprl-desktop"
            )
        except (OSError, TimeoutError, CommClosedError, ValueError) as error:
            raise Failure(
                Said("The cluster at {host} does not answer.", host=self.name),
                "It is switched off, another address, or it does not accept these certificates.",
                "Ask its administrators, or choose this computer's own threads.",
                place="engine",
            ) from error

    def check_workers(self) -> None:
        """All workers run this version of the program, and see the folder."""
        assert self._client is not None
        found = self._ask(remote_state, str(self._store.folder))
        if not found:
            raise Failure(
                Said("The cluster at {host} has no worker.", host=self.name),
                do="Ask its administrators to start some, or choose this computer's own threads.",
                place="engine",
            )
        for state in found.values():
            if isinstance(state, Exception) or not isinstance(state, dict):
                raise Failure(
                    "A worker of the cluster cannot run this program.",
                    "It is not installed there.",
                    "Ask its administrators to install the same version on every worker.",
                    place="engine",
                )
            if state["versions"] != remote.versions():
                raise other_version(str(state["versions"]["pprl-desktop"]))
            if not state["sees"]:
                raise Failure(
                    "A worker of the cluster does not see the shared folder.",
                    "Every worker must find it under the same path as this computer.",
                    "Ask the administrators for a folder that all of them share.",
                    place="engine",
                )

    def _ask(self, function: Any, *args: Any) -> dict[str, Any]:
        assert self._client is not None
        try:
            found: dict[str, Any] = self._client.run(function, *args, on_error="return")
        except (OSError, CommClosedError, ModuleNotFoundError, ImportError) as error:
            raise Failure(
                Said("The cluster at {host} was lost.", host=self.name), do="Try again.", place="engine"
            ) from error
        return found

    def threads(self) -> int:
        assert self._client is not None
        return max(int(sum(self._client.nthreads().values())), 1)

    def close(self) -> None:
        if self._client is not None:
            with contextlib.suppress(Exception):
                self._client.close(timeout=2)
            self._client = None

    def forget(self) -> None:
        self._store.clear()

    # ---- blocks ---------------------------------------------------------------------------------

    def run(self, work: Portable[Any, R], blocks: Sequence[Any], progress: Progress, what: Said | str) -> Iterator[R]:
        if len(blocks) < LEAST_PIECES:
            for place, block in enumerate(blocks):
                progress.at(place / len(blocks), what)
                yield work(block)
            progress.at(1.0, what)
            return
        try:
            name = self._store.put_work(work)
        except OSError as error:
            raise files.refused(error) from error
        threads = self.threads()
        size = max(1, -(-len(blocks) // (PIECES * threads)))
        starts = range(0, len(blocks), size)
        tasks = (
            self._task(name, [blocks[at] for at in range(start, min(start + size, len(blocks)))]) for start in starts
        )
        for place, task in enumerate(self._done(tasks, AHEAD * threads, progress)):
            try:
                done = self._store.get_done(task.name, task.key)
            except Damaged as error:
                raise damaged() from error
            given = min(size, len(blocks) - place * size)
            if not isinstance(done, list) or len(done) != given:  # damaged since it was written, or not a result
                raise damaged()
            progress.at((place + 1) / len(starts), what)
            yield from done

    def _task(self, work: str, blocks: Sequence[Any]) -> remote.Task:
        packed = packing.dumps(list(blocks))
        name = f"{work[:32]}-{hashlib.sha256(packed).hexdigest()[:32]}"
        key = hmac.new(self._key, name.encode(), hashlib.sha256).digest()
        versions = tuple(sorted(remote.versions().items()))
        return remote.Task(str(self._store.folder.parent), work, name, packed, key, versions)

    def _done(self, tasks: Iterator[remote.Task], ahead: int, progress: Progress) -> Iterator[remote.Task]:
        """The tasks in their order, each when its result lies in the folder; only `ahead` of them are held at once."""
        window: deque[remote.Task] = deque()
        under_way: dict[str, Future] = {}
        try:
            while window or (window := deque(islice(tasks, 1))):
                window.extend(islice(tasks, ahead - len(window)))
                for task in window:
                    self._hand_out(task, under_way)
                while window[0].name in under_way:
                    time.sleep(LOOK_EVERY)
                    progress.check()
                    if not self._collect(under_way):
                        self._again(progress)
                        under_way.clear()
                        for task in window:
                            self._hand_out(task, under_way)
                yield window.popleft()
        finally:
            if under_way and self._client is not None:
                with contextlib.suppress(Exception):
                    self._client.cancel(list(under_way.values()), force=True)

    def _hand_out(self, task: remote.Task, under_way: dict[str, Future]) -> None:
        """Unless it is under way, or finished in this run or an earlier one."""
        if task.name in under_way or self._store.is_done(task.name, task.key):
            return
        assert self._client is not None
        under_way[task.name] = self._client.submit(
            remote.run, task, key=f"pprl-{task.name}-{self._run}", retries=RETRIES, pure=False
        )

    def _collect(self, under_way: dict[str, Future]) -> bool:
        """Takes in what is finished; False where the scheduler was lost."""
        assert self._client is not None
        if self._client.status != "running":
            return False
        for name, future in list(under_way.items()):
            if future.status == "finished":
                del under_way[name]
            elif future.status == "error":
                raise _said(future.exception(timeout=CONNECT))
            elif future.status in ("cancelled", "lost"):
                return False
        return True

    def _again(self, progress: Progress) -> None:
        """Waits for a lost scheduler; what is finished lies in the folder."""
        self.close()
        until = time.monotonic() + PATIENCE
        while True:
            progress.at(0.0, Said("The cluster at {host} does not answer; waiting for it", host=self.name))
            try:
                self.connect(2.0)
                if self.threads() and self._client is not None and self._client.nthreads():
                    return
                self.close()
            except Problem:
                if time.monotonic() > until:
                    raise
            for _ in range(20):
                progress.check()
                time.sleep(LOOK_EVERY)


def remote_state(folder: str) -> dict[str, Any]:
    """Asked of every worker before work begins."""
    return {"versions": remote.versions(), "sees": Path(folder).is_dir()}


def other_version(version: str) -> Failure:
    return Failure(
        Said("A worker of the cluster runs version {version} of this program or of what it computes with, and this "
             "computer another.", version=version),
        "The result could differ.",
        "Ask the administrators to install the same version on every worker.",
        place="engine",
    )  # fmt: skip


def damaged() -> Failure:
    return Failure(
        "A finished block in the shared folder was altered.",
        "Somebody else writes there, or its disk is damaged.",
        "Choose another folder and start again.",
        place="engine",
    )


def _said(error: BaseException | None) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, remote.OtherVersion):
        return other_version(str(error.args[0]))
    if isinstance(error, Damaged):
        return damaged()
    if isinstance(error, KilledWorker | MemoryError):
        return Failure(
            "A worker of the cluster ended several times at the same block.",
            "Most likely it has too little memory.",
            "Ask the administrators for workers with more memory, or choose this computer's own threads.",
            place="engine",
        )
    if isinstance(error, OSError):
        return files.refused(error)
    return Failure(
        Said("The cluster could not do a block: {kind}.", kind=type(error).__name__),
        do="Try again, or choose this computer's own threads.",
        place="engine",
    )


def _key(where: Place) -> bytes:
    """The key that seals finished blocks: made once, kept beside the certificate's key, never in the shared folder."""
    path = where.key.with_name(KEY_FILE)
    try:
        if path.is_file() and path.stat().st_size == 32:
            return path.read_bytes()
        made = secrets.token_bytes(32)
        files.write_bytes(path, made)
        return made
    except (OSError, Problem):
        return secrets.token_bytes(32)  # the folder of the certificates is read-only: this run cannot be resumed
