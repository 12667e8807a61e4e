"""Every code that reading may state or refuse with is listed, with exactly its figures."""

import ast
from importlib.resources import files

import pytest

from assessments.intake.import_messages import MESSAGES
from assessments.sizing.architectures.assumption_codes import ASSUMPTIONS
from assessments.sizing.architectures.error_codes import CONFIG_ERRORS

PACKAGES = ("assessments.sizing.architectures", "assessments.sizing.training_files")


def calls(name):
    """Each call of this function or class in the packages: its literal codes and the names of its figures."""
    for package in PACKAGES:
        for file in files(package).iterdir():
            if not file.name.endswith(".py"):
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and name in {
                    getattr(node.func, "id", ""),
                    getattr(node.func, "attr", ""),
                }:
                    literals = (
                        [n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)] if node.args else []
                    )
                    yield literals, {k.arg for k in node.keywords}


def test_every_stated_assumption_is_listed_with_its_figures():
    stated = {code: figures for codes, figures in calls("assume") for code in codes}
    assert stated.items() <= {code: set(kinds) for code, kinds in ASSUMPTIONS.items()}.items()
    assert set(ASSUMPTIONS) - set(stated) == {"shape_of_nearest"}


def test_every_refusal_is_listed_with_its_figures_and_has_a_sentence():
    refusals = {code: figures for codes, figures in calls("ConfigError") for code in codes}
    assert refusals == {code: set(kinds) for code, kinds in CONFIG_ERRORS.items()}
    assert set(CONFIG_ERRORS) <= set(MESSAGES)


@pytest.mark.parametrize("code", CONFIG_ERRORS)
def test_a_sentence_names_only_figures_that_it_gets(code):
    assert str(MESSAGES[code]) % dict.fromkeys(CONFIG_ERRORS[code], "x")
