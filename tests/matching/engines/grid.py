"""A real scheduler with real workers on this machine, with certificates made for the occasion."""

from __future__ import annotations

import contextlib
import datetime
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pprl_desktop.matching.engines.cluster import Place

HOST = "127.0.0.1"
REPOSITORY = Path(__file__).resolve().parents[3]


def certificates(folder: Path) -> tuple[Path, Path, Path]:
    """A certification authority and one certificate that scheduler, workers and client share."""
    folder.mkdir(exist_ok=True)
    now = datetime.datetime.now(datetime.UTC)
    made = []
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
    for name, key in ((authority, authority_key), (None, ec.generate_private_key(ec.SECP256R1()))):
        subject = name or x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test node")])
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(authority)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=name is not None, path_length=None), critical=True)
        )
        made.append((builder.sign(authority_key, hashes.SHA256()), key))
    paths = folder / "ca.pem", folder / "node.pem", folder / "node.key"
    paths[0].write_bytes(made[0][0].public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(made[1][0].public_bytes(serialization.Encoding.PEM))
    paths[2].write_bytes(
        made[1][1].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    paths[2].chmod(0o600)
    return paths


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


class Grid:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca, self.certificate, self.key = certificates(folder / "tls")
        self.port = free_port()
        self.shared = folder / "shared"
        self.shared.mkdir()
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def engine(self) -> str:
        return f"dask:tls://{HOST}:{self.port}"

    @property
    def place(self) -> Place:
        return Place(f"tls://{HOST}:{self.port}", self.ca, self.certificate, self.key, self.shared)

    @property
    def options(self) -> list[str]:
        """As they are typed in a terminal."""
        return [
            "--engine", self.engine, "--tls-ca", str(self.ca), "--tls-cert", str(self.certificate),
            "--tls-key", str(self.key), "--cluster-folder", str(self.shared),
        ]  # fmt: skip

    def start_scheduler(self) -> None:
        self.scheduler = self._start(
            "distributed.cli.dask_scheduler", "--host", HOST, "--port", str(self.port), "--protocol", "tls",
            "--no-dashboard", *self._tls(),
        )  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), timeout=1):
                return
            assert self.scheduler.poll() is None, "the scheduler ended at once"
            time.sleep(0.1)
        raise AssertionError("no scheduler after a minute")

    def start_worker(self, *options: str, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        worker = self._start(
            "distributed.cli.dask_worker", f"tls://{HOST}:{self.port}", "--nthreads", "1", "--no-dashboard",
            "--local-directory", str(self.folder), "--death-timeout", "120", *(options or ("--no-nanny",)),
            *self._tls(), environment=environment,
        )  # fmt: skip
        self.workers.append(worker)
        return worker

    def wait_for(self, workers: int) -> None:
        from distributed import Client, Security

        security = Security(
            tls_ca_file=str(self.ca), tls_client_cert=str(self.certificate), tls_client_key=str(self.key),
            require_encryption=True,
        )  # fmt: skip
        with Client(self.place.address, security=security, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)

    def stop(self) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)

    def _tls(self) -> list[str]:
        return ["--tls-ca-file", str(self.ca), "--tls-cert", str(self.certificate), "--tls-key", str(self.key)]

    def _start(self, module: str, *args: str, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        quiet = {"DASK_LOGGING__DISTRIBUTED": "error", "PYTHONPATH": str(REPOSITORY), **(environment or {})}
        with (self.folder / "grid.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", module, *args],
                env={**os.environ, **quiet}, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True,
            )  # fmt: skip


@contextlib.contextmanager
def running(folder: Path, workers: int = 2) -> Iterator[Grid]:
    grid = Grid(folder)
    try:
        grid.start_scheduler()
        for _ in range(workers):
            grid.start_worker()
        grid.wait_for(workers)
        yield grid
    finally:
        grid.stop()
