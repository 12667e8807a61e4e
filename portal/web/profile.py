"""One's own data."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from assessments.services.erasure import NotErasable, account_erase, account_plan
from assessments.services.personal_data import personal_data
from portal.accounts.http import ReaderRequest
from portal.accounts.models import Organization, User, folded
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


@require_safe
@login_required
def export(request: ReaderRequest) -> HttpResponse:
    """All that we hold about the person, as a file."""
    user = request.viewer.user
    assert user is not None
    response = JsonResponse(personal_data(user), json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = 'attachment; filename="sizewright-my-data.json"'
    response["Cache-Control"] = "private, no-store"
    return response


class DeleteForm(forms.Form):
    """The own address, typed, so that nobody deletes an account by a slip."""

    email = forms.EmailField(
        label=gettext_lazy("Your e-mail, to confirm"), widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    use_required_attribute = False

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if folded(email) != self.user.email:
            raise forms.ValidationError(_("This is not the address of your account."))
        return email


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete(request: ReaderRequest) -> HttpResponse:
    """Say what goes and what is kept, ask for the address, delete at once."""
    user = request.viewer.user
    assert user is not None
    plan = account_plan(user)
    form = DeleteForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid() and not plan.obstacle:
        try:
            account_erase(user)
        except NotErasable as refusal:
            messages.error(request, str(refusal))
            return HttpResponseRedirect(reverse("web:profile_delete"))
        logout(request)
        messages.success(request, _("Your account and what belonged to it are deleted."))
        return HttpResponseRedirect(reverse("web:start"))
    return render(request, "web/profile_delete.html", {"form": form, "plan": plan})
