"""The steps know what they wait for and what is wrong, without a window."""

from __future__ import annotations

from pprl_desktop.project.choices import Choices
from pprl_desktop.project.steps import BY_NAME, PATHS, SECOND, Confirmed, input_hash, problems, states
from pprl_desktop.records.fields import Field
from pprl_desktop.said import Said


def test_every_step_builds_only_on_earlier_ones_and_reads_real_choices() -> None:
    known = Choices().as_dict()
    for path in PATHS.values():
        for position, step in enumerate(path):
            earlier = {one.name for one in path[:position]}
            assert {*step.after, *step.heeds} <= earlier
            assert {name.removeprefix(SECOND) for name in step.reads} <= set(known)


def test_no_choice_belongs_to_two_steps() -> None:
    for path in PATHS.values():
        read = [name for step in path for name in step.reads]
        assert len(read) == len(set(read))


def test_two_own_files_have_a_shorter_path_in_which_either_file_may_come_first() -> None:
    found = {state.step.name: state.state for state in states(Choices(kind="two files"), {})}
    assert list(found) == ["data", "data_b", "fields", "match", "review", "finish"]
    assert [name for name, state in found.items() if state == "ready"] == ["data", "data_b"]


def test_another_second_file_makes_only_what_rests_on_it_stale() -> None:
    choices = Choices(kind="two files", table_path="a.csv", rows=3, second=Choices(table_path="b.csv", rows=3))
    done: dict[str, Confirmed] = {}
    for step in PATHS["two files"]:
        done[step.name] = Confirmed(input_hash(step, choices, done), step.name)
    assert {state.state for state in states(choices, done)} == {"done"}
    other = choices.changed(second=Choices(table_path="c.csv", rows=3))
    found = {state.step.name: state.state for state in states(other, done)}
    assert found["data"] == "done"
    assert {name for name, state in found.items() if state == "stale"} == set(found) - {"data"}


def test_decisions_of_a_review_taken_in_later_make_the_written_table_stale() -> None:
    choices = Choices(kind="one file", table_path="a.csv", rows=3)
    done: dict[str, Confirmed] = {}
    for step in PATHS["one file"]:
        if step.name != "review":
            done[step.name] = Confirmed(input_hash(step, choices, done), step.name)
    assert states(choices, done)[-1].state == "done"
    reviewed = {**done, "review": Confirmed("x", "decisions")}
    assert states(choices, reviewed)[-1].state == "stale"


def test_a_new_project_starts_with_data_or_with_reading_a_proposal() -> None:
    found = {state.step.name: state.state for state in states(Choices(), {})}
    assert found["data"] == "ready"
    assert set(found.values()) == {"ready", "to do"}
    assert [name for name, state in found.items() if state == "ready"] == ["data", "agreement"]


def test_a_waiting_step_names_what_it_waits_for() -> None:
    waiting = next(state for state in states(Choices(), {}) if state.step.name == "fields")
    assert waiting.waits_for == (Said("Data"),)


def test_going_back_to_the_old_value_makes_a_step_valid_again() -> None:
    choices = Choices(table_path="a.csv", rows=3)
    done = {"data": Confirmed(input_hash(BY_NAME["data"], choices, {}), "x")}
    assert states(choices, done)[0].state == "done"
    other = choices.changed(separator=";")
    assert states(other, done)[0].state == "stale"
    assert states(other.changed(separator=""), done)[0].state == "done"


def test_reasons_name_the_field() -> None:
    choices = Choices(fields=(Field.of("last_name"), Field.of("diagnosis", "text")), sensitive=("diag",))
    choices = choices.changed(columns=(("diagnosis", "diag"),))
    found = {problem.place: str(problem.what) for problem in problems("fields", choices)}
    assert set(found) == {"last_name", "diagnosis"}
    assert "sensitive" in str(found["diagnosis"])
    assert problems("data", Choices())[0].place == "table_path"


def test_a_field_named_twice_is_a_problem() -> None:
    choices = Choices(fields=(Field.of("last_name"), Field.of("last_name")), columns=(("last_name", "x"),))
    assert any("twice" in str(problem.what) for problem in problems("fields", choices))
