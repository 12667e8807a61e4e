"""A field as the renderer draws it."""

from django import forms


class QuestionForm(forms.Form):
    """A question with unit, "don't know", assumption and a remark."""

    volume = forms.CharField(label="Volume", help_text="After cleaning.")
    volume_unit = forms.ChoiceField(label="Unit of the volume", choices=[("gb", "GB"), ("tb", "TB")])
    volume_unknown = forms.BooleanField(label="Don’t know", required=False)
    profile = forms.ChoiceField(
        label="Files", choices=[("text", "Text"), ("images", "Images")], widget=forms.RadioSelect
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["volume"].assumption = "We assume 40 GB."
        self.fields["profile"].hints = {"text": "JSONL, Parquet"}
        self.remarks = {"volume": {"tone": "warn", "title": "Much", "text": "More than is usual."}}


def test_unit_and_dont_know_are_drawn_once_with_their_question():
    html = str(QuestionForm())
    assert html.count('name="volume_unit"') == 1
    assert html.count('name="volume_unknown"') == 1
    assert '<select name="volume_unit" aria-label="Unit of the volume"' in html
    assert html.index('name="volume"') < html.index('name="volume_unit"') < html.index('name="profile"')


def test_assumption_remark_and_hint_are_printed():
    html = str(QuestionForm())
    assert "We assume 40 GB." in html
    assert "More than is usual." in html
    assert "<small>JSONL, Parquet</small>" in html


def test_error_summary_leads_to_the_field():
    html = str(QuestionForm({"volume": "", "profile": ""}))
    assert 'role="alert"' in html
    assert '<a href="#id_volume">Volume: ' in html
    assert '<a href="#id_profile_0">Files: ' in html
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="id_volume_helptext id_volume_error"' in html
