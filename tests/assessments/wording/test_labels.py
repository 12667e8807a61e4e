"""Things are called by one name, also where the result says only an ID."""

import pytest
from django.utils.translation import override

from assessments.wording import (
    accelerator_title,
    answer,
    fabric_name,
    label_of,
    machine_of,
    option_letter,
    preset_name,
    task_title,
)


@pytest.mark.parametrize(
    ("slug", "name"),
    [("llama-3.1-70b", "Llama 3.1 70B"), ("qwen2.5-0.5b", "Qwen2.5 0.5B"), ("mixtral-8x7b", "Mixtral 8x7B")],
)
def test_a_preset_is_called_as_its_makers_write_it(slug, name):
    assert preset_name(slug) == name


def test_a_task_is_titled_by_model_and_method():
    task = {"scenarios": [{"strategy": {"method": "full"}, "model": {"preset": "llama-3.1-70b"}}]}
    with override("ru"):
        assert task_title(task) == "Llama 3.1 70B, полное дообучение"


def test_letters_of_options_follow_the_language():
    with override("ru"):
        assert [option_letter(k) for k in ("economical", "balanced", "growth")] == ["А", "Б", "В"]
    with override("en"):
        assert [option_letter(k) for k in ("economical", "balanced", "growth", "given-1")] == ["A", "B", "C", "D"]


def test_paths_and_ids_have_labels():
    assert label_of("scenarios[2].model.params") == "Parameter count"
    assert label_of("balanced.s2.time.cycle") == "Cycle time"
    assert label_of("compare_lora.memory.weights") == "Weights"


def test_machines_and_fabrics_have_names():
    with override("ru"):
        assert accelerator_title("H100 NVL 94GB (per card)") == "H100 NVL 94\u00a0ГБ"
        assert fabric_name("eth-25gbe") == "Ethernet 25\u00a0Гбит/с"
        assert (
            machine_of({"gpus": 16, "servers": 2, "accelerator": "h200-sxm5-141gb"})
            == "16\u00a0× H200 SXM5 141\u00a0ГБ, 2\u00a0сервера"
        )


@pytest.mark.parametrize(
    ("path", "english", "russian"),
    [
        ("scenarios[0]", "Training task", "Задача обучения"),
        ("scenarios[0].model", "Model", "Модель"),
        ("scenarios[1].strategy", "Training strategy", "Стратегия обучения"),
        ("scenarios[0].dataset", "Dataset", "Датасет"),
        ("scenarios[0].cycle", "Cycle time", "Срок цикла"),
        ("scenarios[0].recipe", "Recipe", "Рецепт"),
        ("facility", "Facility and rack", "Площадка и стойка"),
        (
            "horizon.planned[0].in_months",
            "What comes next: in how many months",
            "Что добавится: через сколько месяцев",
        ),
        (
            "horizon.planned[1].times",
            "What comes next: times today’s work",
            "Что добавится: во сколько раз больше нынешнего",
        ),
        ("facility.fabric.gbit_s", "Fabric in place: speed of a port", "Сеть на площадке: скорость порта"),
        ("facility.fabric.ports", "Fabric in place: free ports", "Сеть на площадке: свободные порты"),
    ],
)
def test_sections_and_their_members_are_called_by_what_they_ask(path, english, russian):
    with override("en"):
        assert label_of(path) == english
    with override("ru"):
        assert label_of(path) == russian


def test_members_of_horizon_and_fabric_carry_their_units():
    with override("en"):
        assert answer("horizon.planned[0].in_months", 18) == "18\u00a0months"
        assert answer("horizon.planned[0].times", 4) == "4×"
        assert answer("facility.fabric.ports", 8) == "8\u00a0ports"
        assert answer("facility.fabric.gbit_s", 100) == "100\u00a0Gbit/s"
