"""Draws what freshness.py measured, as a PNG file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

COLOURS = {
    "fixed": "#999999",
    "adaptive (Nutch)": "#e69f00",
    "adaptive, tuned": "#d55e00",
    "estimated": "#0072b2",
    "known rates": "#000000",
}


class Measured(Protocol):
    """What is drawn of a schedule: means, and the freshness over time."""

    @property
    def line(self) -> list[float]: ...

    def freshness(self) -> float: ...

    def days_old(self) -> float: ...


def draw(path: Path, steady: Mapping[int, Mapping[str, Measured]], shifted: Mapping[str, Measured]) -> None:
    """Draw freshness and age by budget (days a page), and freshness over a time in whose middle the rates change."""
    figure, (fresh, age, time) = plt.subplots(1, 3, figsize=(14, 4.5))
    budgets = sorted(steady)
    for name, colour in COLOURS.items():
        style = {"color": colour, "label": name, "linestyle": "--" if name == "known rates" else "-"}
        results = [steady[days][name] for days in budgets]
        fresh.plot(budgets, [100 * result.freshness() for result in results], marker="o", **style)
        age.plot(budgets, [result.days_old() for result in results], marker="o", **style)
        line = shifted[name].line
        time.plot([100 * (part + 0.5) / len(line) for part in range(len(line))], [100 * each for each in line], **style)
    for axis in (fresh, age):
        axis.set(xscale="log", xticks=budgets, xticklabels=budgets, xlabel="days in which a page is fetched once")
        axis.minorticks_off()
    fresh.set_ylabel("% of the copies fresh")
    age.set(yscale="log", ylabel="mean age of a copy, days")
    time.set(xlabel="% of the time; halfway each page gets another's rate", ylabel="% of the copies fresh")
    for axis in (fresh, age, time):
        axis.grid(alpha=0.3)
    fresh.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
