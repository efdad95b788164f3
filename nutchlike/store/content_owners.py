"""ContentOwners: whose content a page repeats, exactly or nearly."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nutchlike.signatures.signed_content import TEXT_DIGEST_SIZE
from nutchlike.store.content_index import NOBODY_KNOWS, ContentIndex
from nutchlike.store.sketch_index import Sketched, SketchIndex


@dataclass(frozen=True, slots=True)
class PageClaim:
    """A page that was fetched claims its content.

    ``key`` is its record key, ``content`` the dedup key of what it has now, ``previous`` of what it had before;
    ``sketch`` is that of its text, ``None`` when it can only be compared exactly; ``since`` is now, epoch seconds.
    """

    key: bytes
    content: bytes
    previous: bytes | None
    sketch: bytes | None
    since: float


@dataclass(frozen=True, slots=True)
class Owner:
    """The page that owns a content; ``is_near`` when the claimed content is only nearly the same as ``content``."""

    key: bytes
    content: bytes
    is_near: bool = False


class ContentOwners:
    """The exact contents first, then the sketches, where a crawl has those."""

    def __init__(self, signatures: ContentIndex, sketches: SketchIndex | None) -> None:
        self._signatures = signatures
        self._sketches = sketches

    def claim_all(self, claims: Sequence[PageClaim]) -> list[Owner]:
        """Return who owns each content: the page that claims it, when nobody did before.

        A page that still has what it had is compared with no other: what was kept once stays.
        """
        owners = self._claim_exactly(claims)
        if self._sketches is None:
            return owners
        owners = self._confirmed(claims, owners, self._sketches)
        new = [
            (at, Sketched(claim.key, owner.content, claim.sketch, claim.since))
            for at, (claim, owner) in enumerate(zip(claims, owners, strict=True))
            if owner.key == claim.key and claim.sketch is not None and owner.content != claim.previous
        ]
        for (at, page), near in zip(new, self._sketches.claim_all([page for _, page in new]), strict=True):
            if near is not None:
                self.free(page.key, page.content)
                owners[at] = Owner(near.key, near.content, is_near=True)
        return owners

    def _claim_exactly(self, claims: Sequence[PageClaim]) -> list[Owner]:
        keys = self._signatures.claim_all([(claim.key, claim.content, claim.previous) for claim in claims])
        return [Owner(key, claim.content) for key, claim in zip(keys, claims, strict=True)]

    def _confirmed(self, claims: Sequence[PageClaim], owners: list[Owner], sketches: SketchIndex) -> list[Owner]:
        """Return the owners, where a page that shares its dedup key with one, but not its sketch, claims its own text.

        A dedup key of a long text knows its words and many numbers, but not which of them matter.
        """
        doubtful = [
            (at, claim.sketch)
            for at, (claim, owner) in enumerate(zip(claims, owners, strict=True))
            if owner.key not in (claim.key, NOBODY_KNOWS) and claim.sketch is not None
        ]
        new = {claim.key: claim.sketch for claim in claims}
        denied = sketches.deny_all([(owners[at].key, sketch) for at, sketch in doubtful], new=new)
        places = [at for (at, _), is_denied in zip(doubtful, denied, strict=True) if is_denied]
        again = self._claim_exactly([_by_text(claims[at]) for at in places])
        for at, owner in zip(places, again, strict=True):
            owners[at] = owner
        return owners

    def take_over(self, claim: PageClaim, owner: Owner) -> bool:
        """Give the content that ``owner`` has to a better copy; False when it belongs to another page by now."""
        if not self._signatures.hand_over_all([(owner.content, owner.key, claim.key)])[0]:
            return False
        if self._sketches is not None and claim.sketch is not None:
            self._sketches.forget(owner.key)
            self._sketches.claim_all([Sketched(claim.key, owner.content, claim.sketch, claim.since)])
        return True

    def free(self, key: bytes, content: bytes) -> None:
        """Give up ``content`` when ``key`` owns it."""
        self._signatures.hand_over_all([(content, key, None)])

    def free_all(self, pages: Sequence[tuple[bytes, bytes]]) -> None:
        """Give up what pages (record key, content) own, and let no page be nearly the same as them any more."""
        if pages:
            self._signatures.hand_over_all([(content, key, None) for key, content in pages])
            if self._sketches is not None:
                self._sketches.forget(*(key for key, _ in pages))

    def forget_sketch(self, key: bytes) -> None:
        """Let no page be nearly the same as this one any more."""
        if self._sketches is not None:
            self._sketches.forget(key)


def _by_text(claim: PageClaim) -> PageClaim:
    """Return the claim of a page's very text, whose digest ends its sketch."""
    digest = hashlib.md5(claim.content + (claim.sketch or b"")[-TEXT_DIGEST_SIZE:], usedforsecurity=False).digest()
    return replace(claim, content=digest[: len(claim.content)])
