"""A file shows what was understood before it touches an answer."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assessments.models import Draft
from tests.assessments.pages.test_intake import LLAMA, begin

pytestmark = pytest.mark.django_db

AXOLOTL = """
base_model: meta-llama/Llama-3.1-8B
adapter: lora
lora_r: 32
sequence_len: 4096
micro_batch_size: 2
num_epochs: 3
bf16: true
lora_dropout_seed_of_nobody: 1
"""


def where(draft: Draft) -> str:
    return reverse("pages:draft_import", args=[draft.pk])


def test_a_training_configuration_is_shown_first_and_written_on_request(client: Client) -> None:
    draft = begin(client)
    draft.answers = {"strategy": {"method": "full", "lora_rank": "8"}, "cycle": {"wanted": "14"}}
    draft.save()
    text = client.post(where(draft), {"text": AXOLOTL}).content.decode()
    assert "lora_dropout_seed_of_nobody" in text
    assert "4,096\u00a0tokens" in text
    draft.refresh_from_db()
    assert draft.answers["strategy"] == {"method": "full", "lora_rank": "8"}
    response = client.post(where(draft), {"text": AXOLOTL, "do": "apply"})
    assert response["Location"] == reverse("pages:draft", args=[draft.pk])
    draft.refresh_from_db()
    assert draft.answers["strategy"]["method"] == "lora"
    assert draft.answers["strategy"]["lora_rank"] == "32"
    assert draft.answers["model"] == {"preset": "llama-3.1-8b", "context_tokens": "4096", "described_by": "name"}
    assert draft.answers["dataset"] == {"epochs": "3"}
    assert draft.answers["cycle"] == {"wanted": "14"}


def test_a_model_configuration_becomes_the_model(client: Client) -> None:
    draft = begin(client)
    upload = SimpleUploadedFile("config.json", json.dumps(LLAMA).encode())
    text = client.post(where(draft), {"file": upload}, HTTP_ACCEPT_LANGUAGE="ru").content.decode()
    assert "8,03 млрд" in text.replace("\u00a0", " ")
    client.post(where(draft), {"text": json.dumps(LLAMA), "do": "apply"})
    draft.refresh_from_db()
    assert draft.answers["model"]["described_by"] == "config"
    assert json.loads(draft.answers["model"]["config_text"]) == LLAMA


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\xff\xfe", b"{", b"", b"- just\n- a list", b"a: !!python/object:os.system x"]
)
def test_what_cannot_be_read_is_refused_and_changes_nothing(client: Client, content: bytes) -> None:
    draft = begin(client)
    text = client.post(where(draft), {"file": SimpleUploadedFile("x.yaml", content), "do": "apply"}).content.decode()
    assert "The file was not read" in text
    assert "<title>Error:" in text
    draft.refresh_from_db()
    assert draft.answers == {}
