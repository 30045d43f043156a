"""Where blocks of heavy work run, if not in threads of this computer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where blocks run. Certificates are files; their contents are never kept here."""

    address: str  # tls://host:port
    ca: Path
    certificate: Path
    key: Path
    folder: Path  # workers see it under the same path

    @property
    def host(self) -> str:
        return self.address.removeprefix("tls://")
