"""One's own data."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from portal.accounts.http import ReaderRequest
from portal.accounts.models import Organization
from portal.web.language import remember


class ProfileForm(forms.Form):
    """How we address a person, and in which language."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=150, required=False)
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        choices=settings.LANGUAGES,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Of these pages and of letters. The PDF of a request keeps the language of the request."
        ),
    )


@login_required
def profile(request: ReaderRequest) -> HttpResponse:
    """Name and language; the address cannot be changed here, because it is the identity."""
    user = request.viewer.user
    assert user is not None
    form = ProfileForm(request.POST or None, initial={"name": user.name, "language": user.language or get_language()})
    if request.method == "POST" and form.is_valid():
        user.name, user.language = form.cleaned_data["name"], form.cleaned_data["language"]
        user.save(update_fields=["name", "language"])
        messages.success(request, _("Saved."))
        response = HttpResponseRedirect(reverse("web:profile"))
        remember(response, user.language)
        return response
    mine = Organization.objects.filter(pk__in=request.viewer.organizations)
    return render(request, "web/profile.html", {"form": form, "organizations": mine})
