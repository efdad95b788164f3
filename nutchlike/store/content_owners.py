"""ContentOwners: whose content a page repeats, exactly or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nutchlike.store.content_index import ContentIndex
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
        keys = self._signatures.claim_all([(claim.key, claim.content, claim.previous) for claim in claims])
        owners = [Owner(key, claim.content) for key, claim in zip(keys, claims, strict=True)]
        if self._sketches is None:
            return owners
        new = [
            (at, Sketched(claim.key, claim.content, claim.sketch, claim.since))
            for at, (claim, owner) in enumerate(zip(claims, owners, strict=True))
            if owner.key == claim.key and claim.sketch is not None and claim.content != claim.previous
        ]
        for (at, page), near in zip(new, self._sketches.claim_all([page for _, page in new]), strict=True):
            if near is not None:
                self.free(page.key, page.content)
                owners[at] = Owner(near.key, near.content, is_near=True)
        return owners

    def take_over(self, claim: PageClaim, owner: Owner) -> bool:
        """Give the content that ``owner`` has to a better copy; False when it belongs to another page by now."""
        if not self._signatures.hand_over_all([(owner.content, owner.key, claim.key)])[0]:
            return False
        if self._sketches is not None and claim.sketch is not None:
            self._sketches.forget(owner.key)
            self._sketches.claim_all([Sketched(claim.key, claim.content, claim.sketch, claim.since)])
        return True

    def free(self, key: bytes, content: bytes) -> None:
        """Give up ``content`` when ``key`` owns it."""
        self._signatures.hand_over_all([(content, key, None)])

    def forget_sketch(self, key: bytes) -> None:
        """Let no page be nearly the same as this one any more."""
        if self._sketches is not None:
            self._sketches.forget(key)

    def nearest(self, sketch: bytes) -> bytes | None:
        """Return the record key of a page whose content is nearly the same, without claiming anything."""
        found = self._sketches.nearest(sketch) if self._sketches is not None else None
        return found.key if found is not None else None
