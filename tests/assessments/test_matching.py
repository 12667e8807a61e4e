"""From the options of a result to servers of the default catalog."""

import json
from collections.abc import Iterator
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from pytest_django import DjangoDbBlocker

from assessments.matching import fit_of, matching_of, ranked, requirement_of
from assessments.sizing import parse_catalog, parse_task, size
from catalog import words
from catalog.loading import load_default
from catalog.models import Server, ServerAccelerator
from catalog.snapshot import snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("default_catalog")]

EXAMPLES = sorted(
    Path(str(entry)) for entry in files("assessments").joinpath("examples").iterdir() if entry.name.endswith(".json")
)
FIRST = 5


@pytest.fixture(scope="module")
def default_catalog(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock(), transaction.atomic():
        load_default()
        with django_db_blocker.block():
            yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def results(default_catalog: None, django_db_blocker: DjangoDbBlocker) -> dict[str, dict[str, Any]]:
    """Every example, sized with the default catalog."""
    with django_db_blocker.unblock():
        catalog = parse_catalog(snapshot())
    return {
        path.stem: size(parse_task(json.loads(path.read_text(encoding="utf-8"))), catalog).as_result()
        for path in EXAMPLES
    }


def options_of(results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [option for result in results.values() for option in result["options"] if option["requirement"]]


def test_every_example_names_servers_or_says_why_not(results: dict[str, dict[str, Any]]) -> None:
    options = options_of(results)
    assert options
    for option in options:
        answer = matching_of([option])[option["key"]]
        assert answer.matches or answer.obstacles
        assert words.answer(answer)


def test_the_first_five_are_on_sale_fit_and_carry_the_accelerator(results: dict[str, dict[str, Any]]) -> None:
    status = dict(Server.objects.values_list("slug", "status"))
    for option in options_of(results):
        answer = matching_of([option])[option["key"]]
        exact = [found for found in answer.matches if not found.is_equivalent]
        for found in answer.matches[:FIRST]:
            assert status[found.slug] != "end_of_sale"
            assert found.failing == ()
            assert found.accelerator == option["accelerator"] or len(exact) < FIRST, (option["key"], found.slug)


def test_two_makers_are_among_the_first_five_where_the_catalog_has_them(results: dict[str, dict[str, Any]]) -> None:
    for option in options_of(results):
        matches = matching_of([option])[option["key"]].matches
        makers = {found.vendor for found in matches}
        if len(makers) > 1:
            assert len({found.vendor for found in matches[:FIRST]}) > 1


def test_the_reason_of_the_first_rank_is_said(results: dict[str, dict[str, Any]]) -> None:
    for option in options_of(results):
        matches = ranked(option)
        if len(matches) > 1:
            assert words.reason(matches[0].before_next)


def test_the_requirement_is_the_one_of_the_option(results: dict[str, dict[str, Any]]) -> None:
    for option in options_of(results):
        requirement = requirement_of(option)
        assert requirement is not None
        assert requirement.accelerator == option["accelerator"]
        assert requirement.servers == option["servers"]
        assert requirement.gpus_per_server * requirement.servers == option["gpus"]


def test_a_picked_server_is_judged_as_it_is_ranked(results: dict[str, dict[str, Any]]) -> None:
    option = next(option for option in options_of(results) if ranked(option)[0].failing == ())
    best = ranked(option)[0]
    server = Server.objects.get(slug=best.slug)
    fit = fit_of(option, server, quantity=option["servers"])
    assert fit["fit"] == best.fit
    assert [line["code"] for line in fit["lines"]] == [*(line.code for line in best.lines), "quantity"]
    assert json.loads(json.dumps(fit)) == fit


def test_too_few_servers_are_a_misfit(results: dict[str, dict[str, Any]]) -> None:
    option = next(option for option in options_of(results) if ranked(option)[0].failing == ())
    server = Server.objects.get(slug=ranked(option)[0].slug)
    fit = fit_of(option, server, quantity=option["servers"] - 1)
    assert (fit["fit"], fit["failing"]) == ("does_not_fit", ["quantity"])


def test_a_server_without_the_accelerator_is_a_misfit(results: dict[str, dict[str, Any]]) -> None:
    option = options_of(results)[0]
    takers = ServerAccelerator.objects.filter(accelerator__slug=option["accelerator"]).values("server")
    other = Server.objects.exclude(pk__in=takers).filter(form="rack_scale").first()
    assert other is not None
    fit = fit_of(option, other, quantity=99)
    assert (fit["fit"], fit["failing"]) == ("does_not_fit", ["accelerator"])


def test_an_option_without_a_need_asks_nothing() -> None:
    assert requirement_of({"key": "given-1", "requirement": None}) is None
    assert matching_of([{"key": "given-1", "requirement": None}]) == {}


def test_all_options_cost_three_queries(results: dict[str, dict[str, Any]], django_assert_num_queries: object) -> None:
    options = [option | {"key": str(number)} for number, option in enumerate(options_of(results))]
    with django_assert_num_queries(3):  # type: ignore[operator]  # a fixture of pytest-django
        assert len(matching_of(options)) == len(options)


def test_the_command_prints_a_table_and_json() -> None:
    task = next(path for path in EXAMPLES if path.stem == "lora-8b")
    table, data = StringIO(), StringIO()
    call_command("match", str(task), stdout=table)
    assert " 1. " in table.getvalue()
    assert "|" in table.getvalue()
    call_command("match", str(task), "--json", stdout=data)
    answers = json.loads(data.getvalue())["options"]
    assert answers
    assert all(answer["matches"] or answer["obstacles"] for answer in answers.values())


def test_the_command_names_what_is_wrong_with_a_task(tmp_path: Path) -> None:
    task = tmp_path / "task.json"
    task.write_text('{"schema": "task/1", "scenarios": []}', encoding="utf-8")
    with pytest.raises(CommandError, match="scenarios"):
        call_command("match", str(task))
