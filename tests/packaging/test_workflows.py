"""The workflows: what cannot run here is at least read, and what can is run: scripts, options, shell, checksums."""

from __future__ import annotations

import fnmatch
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from pprl_desktop import __version__
from tests.packaging.loading import PACKAGING

ROOT = PACKAGING.parent
FOLDER = ROOT / ".github" / "workflows"
NAMES = ("ci", "release")
SYSTEMS = {"ubuntu": "Linux", "windows": "Windows", "macos": "macOS"}
EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)
bash_only = pytest.mark.skipif(not shutil.which("bash") or sys.platform == "win32", reason="needs bash")


def workflow(name: str) -> dict[Any, Any]:
    return dict(yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8")))


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name in NAMES:
        for job in workflow(name)["jobs"].values():
            for step in job["steps"]:
                yield name, step


def step_called(start: str) -> dict[str, Any]:
    return next(step for _, step in steps() if step.get("name", "").startswith(start))


def shell_of(step: dict[str, Any]) -> str:
    """GitHub's default: PowerShell on Windows, bash elsewhere."""
    windows_only = step.get("if") == "runner.os == 'Windows'"
    return str(step.get("shell", "pwsh" if windows_only else "bash"))


def bash_steps() -> list[dict[str, Any]]:
    return [step for _, step in steps() if "run" in step and shell_of(step) == "bash"]


def commands() -> list[str]:
    """Single command lines of all steps, expressions filled in with a word."""
    found = []
    for _, step in steps():
        text = EXPRESSION.sub("word", step.get("run", "")).replace("\\\n", " ")
        found += [part.strip() for line in text.splitlines() for part in re.split(r"&&|;|\|", line) if part.strip()]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_three_systems_an_old_linux_and_a_limit_of_time(name: str) -> None:
    for job in workflow(name)["jobs"].values():
        if "strategy" in job:
            systems = job["strategy"]["matrix"]["os"]
            assert {one.split("-")[0] for one in systems} == set(SYSTEMS)
            assert [one for one in systems if one.startswith("ubuntu")] == ["ubuntu-22.04"]  # glibc 2.35
            assert job["runs-on"] == "${{ matrix.os }}"
            assert job["timeout-minutes"] <= 120
        else:
            assert job["runs-on"] == "ubuntu-22.04"


def test_the_oldest_python_is_tested() -> None:
    versions = workflow("ci")["jobs"]["test"]["strategy"]["matrix"]["python"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert versions[0] == project["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("name", NAMES)
def test_a_job_may_write_only_to_publish_and_conditions_name_real_systems(name: str) -> None:
    made = workflow(name)
    assert made["permissions"] == {"contents": "read"}
    writers = [job for job, held in made["jobs"].items() if held.get("permissions") == {"contents": "write"}]
    assert writers in ([], ["publish"])
    for _, step in steps():
        condition = step.get("if", "")
        assert not condition or re.fullmatch(r"runner\.os == '(Linux|Windows|macOS)'", condition), condition
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])


def test_no_address_but_the_public_ones() -> None:
    """Packages come from wherever the runner is set up to take them from."""
    for path in (*FOLDER.glob("*.yml"), ROOT / "pyproject.toml", PACKAGING / "constraints.txt", PACKAGING / "build.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|--(extra-)?index", text), path.name


@bash_only
@pytest.mark.parametrize("step", bash_steps(), ids=lambda step: step["name"][:30])
def test_the_shell_can_read_every_step(step: dict[str, Any], tmp_path: Path) -> None:
    script = tmp_path / "step.sh"
    script.write_text(EXPRESSION.sub("word", step["run"]), encoding="utf-8")
    done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_powershell_steps_are_balanced() -> None:
    """No PowerShell here to read them: brackets and quotes at least close."""
    texts = [step["run"] for _, step in steps() if shell_of(step) == "pwsh"]
    assert len(texts) >= 3
    for text in texts:
        bare = re.sub(r"'[^'\n]*'", "", text)
        assert bare.count("'") == 0
        bare = re.sub(r'"[^"\n]*"', "", bare)
        assert bare.count('"') == 0
        for opened, closed in ("()", "{}", "[]"):
            assert bare.count(opened) == bare.count(closed)


def test_every_file_that_a_step_names_is_there() -> None:
    named = {path for line in commands() for path in re.findall(r"(?:packaging|tests|\.ci)/[\w./-]+", line)}
    assert {"packaging/build.py", "packaging/constraints.txt", "tests/packaging/test_linux.py"} <= named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_scripts_know_their_options() -> None:
    used = [line for line in commands() if "packaging/build.py" in line]
    options = {word for line in used for word in line.split("packaging/build.py")[1].split()}
    assert options == {"--installers"}
    source = (PACKAGING / "build.py").read_text(encoding="utf-8")
    assert all(f'"{option}"' in source for option in options)
    checks = re.search(r"for one in \(([^)]*)\)", (PACKAGING / "check.py").read_text(encoding="utf-8"))
    assert checks is not None
    assert {"demo", "methods", "review", "rehearsal", "about", "tour"} <= set(checks[1].split(", "))


def test_uv_knows_its_options() -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on the path")
    for verb in ("run", "pip install", "venv"):
        lines = [line for line in commands() if line.startswith(f"uv {verb}")]
        assert lines
        shown = subprocess.run([uv, *verb.split(), "--help"], capture_output=True, text=True, check=True).stdout
        for line in lines:
            own = line.split("pytest")[0].split("packaging/build.py")[0].removeprefix(f"uv {verb}")
            for option in re.findall(r"(?<!\S)--?[a-z][a-z-]*", own):
                assert re.search(rf"(?<![\w-]){option}(?![\w-])", shown), f"{line}: {option}"


def test_pytest_takes_the_options_of_the_frozen_tests() -> None:
    (line,) = [line for line in commands() if "-m frozen" in line]
    words = line.split("-m pytest ")[1].split()
    command = [sys.executable, "-m", "pytest", "--collect-only", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_the_package_installs_works_and_leaves_nothing" in done.stdout


def test_the_tested_versions_cover_every_dependency() -> None:
    from packaging.requirements import Requirement

    pinned: dict[str, list[Requirement]] = {}
    for line in (PACKAGING / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            made = Requirement(line)
            pinned.setdefault(made.name, []).append(made)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    for text in (*project["project"]["dependencies"], *groups["dev"], *groups["package"]):
        wanted = Requirement(text)
        for one in pinned[wanted.name]:
            (version,) = one.specifier
            assert wanted.specifier.contains(version.version), wanted.name
    assert metadata.version("pytest")  # the environment that runs this has them from the same lists


def test_signing_is_named_alike_in_workflow_and_scripts() -> None:
    build = step_called("Build, check every verb")
    read = {
        name
        for script in ("macos.py", "windows.py")
        for name in re.findall(r'"((?:MACOS|WINDOWS)_\w+)"', (PACKAGING / script).read_text(encoding="utf-8"))
    }
    assert set(build["env"]) == read
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in read if name not in readme] == []


@bash_only
def test_without_a_certificate_nothing_is_signed_and_the_build_goes_on(tmp_path: Path) -> None:
    step = step_called("Signing certificate of macOS")
    script = EXPRESSION.sub("", step["run"])
    done = subprocess.run(
        ["bash", "-e", "-c", script], env={"PATH": "", "CERTIFICATE": "", "RUNNER_TEMP": str(tmp_path)},
        executable=shutil.which("bash"), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("unsigned")


def made_by_a_build(system: str) -> dict[str, bytes]:
    """Names as the packing scripts give them."""
    names = {
        "linux": (f"pprl-desktop_{__version__}_amd64.deb", f"pprl-desktop-{__version__}-linux-x86_64.tar.zst"),
        "windows": (f"pprl-desktop-{__version__}-setup.exe",),
        "macos": (f"pprl-desktop-{__version__}-macos-arm64.dmg",),
    }
    bill = f"pprl-desktop-{__version__}-{system}-x86_64.cdx.json"
    return {name: f"{system} {name}".encode() for name in (*names[system], bill)}


def test_everything_that_is_made_is_kept() -> None:
    (kept,) = [step for _, step in steps() if "upload-artifact" in step.get("uses", "")]
    patterns = kept["with"]["path"].split()
    sources = "".join((PACKAGING / f"{name}.py").read_text(encoding="utf-8") for name in ("linux", "windows", "macos"))
    for suffix in ("_amd64.deb", "-linux-x86_64.tar.zst", "-setup.exe", ".dmg"):
        assert suffix in sources
    for system in ("linux", "windows", "macos"):
        for name in (*made_by_a_build(system), "SHA256SUMS"):
            assert [pattern for pattern in patterns if fnmatch.fnmatch(f"dist/{name}", pattern)], name


@bash_only
@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
@pytest.mark.parametrize("damaged", [False, True])
def test_publishing_verifies_every_checksum(tmp_path: Path, damaged: bool) -> None:
    for system in ("linux", "windows", "macos"):
        folder = tmp_path / "made" / f"pprl-desktop-{system}"
        (folder / "pictures").mkdir(parents=True)
        (folder / "pictures" / "welcome.png").write_bytes(b"seen")
        made = made_by_a_build(system)
        for name, data in made.items():
            (folder / name).write_bytes(data)
        lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in made.items()]
        (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")
    if damaged:
        next((tmp_path / "made").rglob("*.deb")).write_bytes(b"another file")
    step = step_called("One folder, every checksum verified")
    done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) is not damaged, done.stderr
    if not damaged:
        released = {path.name for path in (tmp_path / "release").iterdir()}
        assert released == {"SHA256SUMS", *(name for s in ("linux", "windows", "macos") for name in made_by_a_build(s))}


def test_the_tests_run_as_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = step_called("The README's test command")["run"].strip()
    assert f"```\n{command}\n```" in readme
    needed = re.search(r"`apt-get install ([^`]+)`", readme)
    assert needed is not None
    for name in NAMES:
        (libraries,) = [step["run"] for file, step in steps() if file == name and "apt-get" in step.get("run", "")]
        assert set(needed[1].split()) <= set(libraries.split())


def test_the_windows_step_looks_for_what_the_installer_writes() -> None:
    script = (PACKAGING / "windows" / "installer.nsi").read_text(encoding="utf-8")
    step = step_called("Install and remove silently on Windows")["run"]
    assert r"Programs\PPRL Desktop" in step
    assert r"$LOCALAPPDATA\Programs\PPRL Desktop" in script
    for name in ("pprl-desktop.exe", "uninstall.exe", "_internal"):
        assert name in step
        assert f"$INSTDIR\\{name}" in script
    assert r"HKCU:\Software\Classes\.pprlproject" in step
    assert '".pprlproject"' in script
