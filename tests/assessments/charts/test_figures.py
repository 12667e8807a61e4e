"""Figures say in shapes and words what the result says in numbers."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.utils.translation import override

from assessments import charts
from tests.assessments.documents import example

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = [charts.memory_bars, charts.comparison, charts.time_curve, charts.rack_elevation]


def drawn(markup):
    return ET.fromstring(markup)


def boxes(root, class_):
    return [r for r in root.iter(f"{SVG}rect") if class_ in (r.get("class") or "").split()]


@pytest.mark.parametrize("cut", ["wide", "narrow", "print"])
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_well_formed_and_has_text_alternatives(figure, cut):
    root = drawn(figure(example.result(), cut=cut))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text
    assert root.find(f"{SVG}desc").text
    assert "style" not in {key for e in root.iter() for key in e.attrib}


@pytest.mark.parametrize("figure", FIGURES)
def test_the_same_result_gives_the_same_bytes(figure):
    assert figure(example.result()) == figure(example.result())


@pytest.mark.parametrize("figure", FIGURES)
def test_ids_of_two_cuts_on_one_page_do_not_clash(figure):
    def ids(cut):
        return set(re.findall(r' id="([^"]+)"', figure(example.result(), cut=cut)))

    assert not ids("wide") & ids("narrow")


def test_memory_parts_are_drawn_on_one_scale():
    result = example.result()
    root = drawn(charts.memory_bars(result))
    widths = [float(r.get("width")) for r in boxes(root, "m-optimizer") if float(r.get("height")) > 30]
    assert widths[1] / widths[0] == pytest.approx(98.6 / 49.3, abs=0.01)


def test_memory_beyond_the_limit_is_hatched_and_said():
    result = example.result()
    for part in ("optimizer",):
        result["quantities"][f"balanced.memory.{part}"]["v"] = [200 * 2**30] * 3
    markup = charts.memory_bars(result)
    assert "url(#memory-wide-over)" in markup
    assert "91 short · limit 165 of 179 GiB" in markup


def test_what_exceeds_the_rack_carries_a_minus():
    markup = charts.rack_gauge(example.result(), "power")
    assert "−5.4" in markup
    assert "limit 15.0\u00a0kW" in markup


def test_both_deadlines_are_labelled_lines():
    markup = charts.time_curve(example.result())
    assert "wanted: 14\u00a0days" in markup
    assert "latest: 28\u00a0days" in markup


def test_too_few_gpus_are_a_named_zone():
    assert "does not fit in memory" in charts.time_curve(example.result())


def test_figures_speak_russian():
    with override("ru"):
        markup = charts.memory_bars(example.result())
    assert "занято 105" in markup
    assert "свободно 24 · предел 129 из 140 ГиБ" in markup


@pytest.mark.parametrize("figure", FIGURES)
def test_a_result_without_options_draws_nothing(figure):
    result = example.result() | {"options": [], "curves": [], "comparison": []}
    assert figure(result) == ""


def test_names_from_outside_are_escaped():
    result = example.result()
    for option in result["options"]:
        option["accelerator_name"] = '<script>alert(1)</script>"&'
    markup = charts.memory_bars(result)
    assert "<script" not in markup
    drawn(markup)


def test_a_range_without_width_is_a_point():
    assert charts.dimension(5, 5, 5).count("<circle") == 1
    assert "M" in charts.dimension(1, 5, 9)
    drawn(charts.narrowing((1, 2, 3), (1.5, 2, 2.5)))


CROWDED = ["RTX PRO 6000 Blackwell Server Edition 96GB", "B300 SXM (HGX/DGX) Blackwell Ultra", "Instinct MI350P 144GB"]


def crowded():
    """Curves with long names, two options on one point, two limits close together."""
    result = example.result()
    curve, options = result["curves"][0], result["options"]
    result["curves"] = [curve | {"accelerator_name": name} for name in CROWDED]
    for option in options:
        option["gpus"] = options[0]["gpus"]
        for row in option["resources"]:
            if row["code"] == "time":
                result["quantities"][row["required"]]["v"] = [150, 200, 250]
    for name, found in result["quantities"].items():
        if name.endswith(("time.wanted", "time.latest")):
            found["v"] = [300.0 if name.endswith("wanted") else 310.0] * 3
    return result


@pytest.mark.parametrize("cut", ["wide", "narrow", "print"])
def test_no_label_of_the_time_curve_covers_another_or_leaves_the_figure(cut):
    with override("ru"):
        root = drawn(charts.time_curve(crowded(), cut=cut))
    width = float(root.get("viewBox").split()[2])
    spans = []
    for label in (t for t in root.iter(f"{SVG}text") if t.get("font-weight") == "600"):
        size = len(label.text) * 13 * 0.49
        left = float(label.get("x")) - (size / 2 if label.get("text-anchor") == "middle" else 0)
        assert left >= 0
        assert left + size <= width
        spans.append((left, left + size, float(label.get("y")), label.text))
    assert len([s for s in spans if s[3] in "АБВ"]) == len(example.result()["options"])
    for i, one in enumerate(spans):
        for other in spans[i + 1 :]:
            beside = one[1] <= other[0] or other[1] <= one[0]
            assert beside or abs(one[2] - other[2]) >= 13, (one, other)


def test_the_legend_drops_vendor_and_generation_unless_two_names_would_be_alike():
    result = crowded()
    markup = charts.time_curve(result)
    assert ">RTX PRO 6000 96\u00a0GB<" in markup
    assert ">B300 SXM<" in markup
    assert ">MI350P 144\u00a0GB<" in markup
    result["curves"][1]["accelerator_name"] = "RTX PRO 6000 Blackwell Workstation Edition 96GB"
    assert "RTX PRO 6000 Blackwell Workstation Edition 96\u00a0GB" in charts.time_curve(result)
