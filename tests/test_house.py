"""How the house is built, held where it was won: one builder, one driver, no cycle behind a function."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tests.benchmarks import house


@pytest.fixture(scope="module")
def trees() -> Mapping[str, ast.Module]:
    return house.trees()


def test_one_module_builds_recipes(trees: Mapping[str, ast.Module]) -> None:
    assert house.recipe_builders(trees) == ["pprl_desktop.codes.recipe"]


def test_one_module_puts_a_written_file_in_its_place(trees: Mapping[str, ast.Module]) -> None:
    """Elsewhere a database or its head takes its place, or blocks on a cluster, which may be lost at any time."""
    renaming = [
        name
        for name, tree in trees.items()
        if any(
            isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.replace", "os.rename", "shutil.move"}
            for node in ast.walk(tree)
        )
    ]
    databases = {
        "pprl_desktop.review.ledger",
        "pprl_desktop.exchange.ledger_key",
        "pprl_desktop.exchange.release_repair",
    }
    assert set(renaming) == {"pprl_desktop.files", "pprl_desktop.matching.engines.store"} | databases
    assert house.callers(trees, "mkstemp") == house.callers(trees, "NamedTemporaryFile") == []


def test_an_agreement_is_carried_by_a_signatory(trees: Mapping[str, ast.Module]) -> None:
    """Only who makes one that is not at home yet has it in hand, beside the home folder and the identity."""
    making = {"pprl_desktop.exchange.agreeing._answer", "pprl_desktop.exchange.agreeing._keep"}
    assert set(house.carried_apart(trees)) == making


def test_one_module_has_the_order_of_smash_learn_and_match(trees: Mapping[str, ast.Module]) -> None:
    assert house.callers(trees, "smash", "learn", "match") == ["pprl_desktop.matching.party"]


def test_a_number_that_changes_results_lives_in_a_tuning(trees: Mapping[str, ast.Module]) -> None:
    """What stands outside is a limit, a plan or a format, and house.NOT_DECIDING says which; nothing there is stale."""
    deciding, bounding = house.numbers_outside(trees)
    assert deciding == []
    assert {one for one in bounding if not one.startswith(house.FORESIGHT)} == house.not_deciding()


def test_no_import_inside_a_function_hides_a_cycle(trees: Mapping[str, ast.Module]) -> None:
    assert house.hidden_cycles(trees) == []
