"""What a reader may see: built once per HTTP request from whatever proves who they are."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from portal.accounts.models import token_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.accounts.models import ApiToken, User

type Kind = Literal["user", "token", "share", "draft", "system", "anonymous"]

READ_EVERYTHING = "assessments.view_inquiry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A reader: a person, a program, the holder of a link or cookie, or the system itself."""

    kind: Kind
    user: "User | None" = None
    token: "ApiToken | None" = None
    organizations: frozenset[int] = frozenset()
    draft_tokens: frozenset[str] = frozenset()
    share_tokens: frozenset[str] = frozenset()

    @classmethod
    def system(cls) -> Self:
        """The pipeline, acting for nobody."""
        return cls(kind="system")

    @classmethod
    def anonymous(cls, *, draft_cookies: "Iterable[str]" = ()) -> Self:
        """Somebody unknown, who may hold the cookies of drafts."""
        tokens = frozenset(token_hash(raw) for raw in draft_cookies)
        return cls(kind="draft" if tokens else "anonymous", draft_tokens=tokens)

    @classmethod
    def of(cls, user: "User", *, draft_cookies: "Iterable[str]" = ()) -> Self:
        """A signed-in person, with their organisations."""
        return cls(
            kind="user",
            user=user,
            organizations=frozenset(user.memberships.values_list("organization_id", flat=True)),
            draft_tokens=frozenset(token_hash(raw) for raw in draft_cookies),
        )

    @classmethod
    def of_token(cls, token: "ApiToken") -> Self:
        """A program with an API token."""
        own = frozenset({token.organization_id}) if token.organization_id is not None else frozenset[int]()
        return cls(kind="token", token=token, organizations=own)

    def with_share(self, raw: str) -> Self:
        """The same reader, holding a share link too; a reader otherwise unknown becomes a share's."""
        kind: Kind = "share" if self.kind in {"anonymous", "draft"} else self.kind
        return replace(self, kind=kind, share_tokens=self.share_tokens | {token_hash(raw)})

    def has_perm(self, perm: str) -> bool:
        """Whether the reader holds a staff permission; only active staff and the system hold any."""
        if self.kind == "system":
            return True
        return self.user is not None and self.user.is_active and self.user.is_staff and self.user.has_perm(perm)

    @property
    def sees_all(self) -> bool:
        """Whether every organisation's requests are visible: staff who read requests, the integration, the system."""
        if self.kind == "token":
            return self.token is not None and self.token.organization_id is None
        return self.has_perm(READ_EVERYTHING)
