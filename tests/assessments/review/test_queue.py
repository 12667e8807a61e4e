"""The queue: the engineer's work found, filtered, sorted, counted and given away, in constant time."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from assessments.models import Event, Inquiry, State
from tests.assessments.review.conftest import page
from tests.factories import InquiryFactory, catalog_keeper, engineer, manager

pytestmark = pytest.mark.django_db


def numbers(answer) -> list[str]:
    return [inquiry.number for inquiry in answer.context["cl"].result_list]


def test_the_queue_takes_the_same_queries_however_long_it_is(sign_in):
    client = sign_in(engineer())
    counted = []
    for _round in range(2):
        for _row in range(5):
            InquiryFactory(state=State.IN_REVIEW, assignee=engineer())
        with CaptureQueriesContext(connection) as captured:
            assert client.get(page("changelist")).status_code == 200
        counted.append(len(captured))
    assert counted == [9, 9]


def test_the_sidebar_counts_each_queue(sign_in):
    person = engineer()
    past = timezone.now() - timedelta(hours=1)
    InquiryFactory(state=State.IN_REVIEW, assignee=person)
    InquiryFactory(state=State.RELEASED, assignee=person)
    InquiryFactory(state=State.IN_REVIEW, due_at=past)
    InquiryFactory(state=State.NEEDS_INFO, due_at=past, assignee=engineer())
    answer = sign_in(person).get(page("changelist"))
    review = answer.context["sidebar_navigation"][0]["items"]
    assert [(str(item["title"]), item["badge"]) for item in review[:4]] == [
        ("My work", "1"),
        ("Unassigned", "1"),
        ("Waiting for the customer", "1"),
        ("Overdue", "1"),
    ]


def test_a_catalog_keeper_is_told_nothing_of_the_queue(sign_in):
    InquiryFactory(state=State.IN_REVIEW)
    answer = sign_in(catalog_keeper()).get("/admin/")
    review = answer.context["sidebar_navigation"][0]["items"]
    assert not any(item["has_permission"] for item in review)
    assert {item["badge"] for item in review[:4]} == {"0"}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("strategy=lora", ["a"]),
        ("model_class=cluster", ["b"]),
        ("state__exact=needs_info", ["c"]),
        ("queue=waiting", ["c"]),
        ("queue=overdue", ["b"]),
        ("q=насосы", ["c"]),
        ("q=НАСОСЫ", ["c"]),
        ("o=-7", ["b", "a", "c"]),
    ],
)
def test_requests_are_found_by_filter_word_and_findings(sign_in, asked, found):
    now = timezone.now()
    rows = {
        "a": InquiryFactory(state="in_review", strategy="lora", accelerator="l40s-48gb", findings_count=2),
        "b": InquiryFactory(state="in_review", due_at=now - timedelta(hours=1), findings_count=5),
        "c": InquiryFactory(state="needs_info", search_text="регламенты и насосы"),
    }
    Inquiry.objects.filter(pk=rows["b"].pk).update(model_class="cluster")  # the factory has this word for itself
    names = {row.number: name for name, row in rows.items()}
    answer = sign_in(engineer()).get(f"{page('changelist')}?{asked}")
    assert [names[number] for number in numbers(answer)] == found


def test_filters_speak(loaded_catalog, sign_in):
    row = InquiryFactory(state=State.IN_REVIEW, accelerator="l40s-48gb")
    InquiryFactory(state=State.IN_REVIEW, accelerator="h100-sxm5-80gb")
    answer = sign_in(engineer()).get(f"{page('changelist')}?accelerator=l40s-48gb")
    assert numbers(answer) == [row.number]
    html = sign_in(engineer()).get(page("changelist")).content.decode()
    for word in ("full fine-tuning", "several servers", "NVIDIA L40S"):
        assert word in html


def test_a_manager_gives_several_requests_away_after_a_page_that_asks(sign_in):
    rows = [InquiryFactory(state=State.IN_REVIEW) for _ in range(3)]
    person = engineer()
    client = sign_in(manager())
    ticked = {"action": "assign_selected", "_selected_action": [row.pk for row in rows[:2]]}
    asked = client.post(page("changelist"), ticked)
    assert rows[0].number in asked.content.decode()
    assert not Event.objects.exists()
    client.post(page("changelist"), ticked | {"apply": "1", "assignee": person.pk})
    assert set(Inquiry.objects.filter(assignee=person)) == set(rows[:2])
    assert Event.objects.filter(verb="assign").count() == 2


def test_an_engineer_is_not_offered_to_give_requests_away(sign_in):
    row = InquiryFactory(state=State.IN_REVIEW)
    other = engineer()
    ticked = {"action": "assign_selected", "_selected_action": [row.pk], "apply": "1", "assignee": other.pk}
    sign_in(engineer()).post(page("changelist"), ticked)
    row.refresh_from_db()
    assert row.assignee is None


def test_taking_and_giving_back_are_dialogs_that_say_who_did_it(sign_in):
    row = InquiryFactory(state=State.IN_REVIEW)
    person = engineer()
    client = sign_in(person)
    client.post(page("take", row), {"_form_submitted": "on"})
    row.refresh_from_db()
    assert row.assignee == person
    client.post(page("give_back", row), {"_form_submitted": "on"})
    row.refresh_from_db()
    assert row.assignee is None
    assert list(Event.objects.values_list("verb", "actor")) == [("assign", person.pk)] * 2
