"""Draws what ordering.py measured, as PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import matplotlib as mpl
from ordering_replay import Shares

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

COLOURS = {
    "breadth first": "#999999",
    "in-degree": "#56b4e9",
    "in-degree, external x 5": "#0072b2",
    "Nutch OPIC": "#e69f00",
    "OPIC, external x 4": "#d55e00",
    "paper OPIC": "#cc79a7",
    "LinkRank in the loop": "#009e73",
    "host votes": "#000000",
    "oracle": "#bbbbbb",
}
HIDDEN = {"adaptive OPIC"}  # the same as paper OPIC while no page is fetched twice


def curves(folder: Path, label: str, runs: Sequence[Mapping[str, Shares]], marks: Sequence[float]) -> None:
    """Draw what each order has fetched at each mark, medians over the runs."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), sharex=True)
    for axis, kind, title in zip(axes, ("top", "pagerank"), ("top decile", "PageRank"), strict=True):
        for name, colour in COLOURS.items():
            values = [100 * median(getattr(run[name], kind)[i] for run in runs) for i in range(len(marks))]
            style = "--" if name in ("breadth first", "oracle") else "-"
            axis.plot([0, *(100 * mark for mark in marks)], [0, *values], style, marker=".", color=colour, label=name)
        axis.set(xlabel="% of the pages fetched", ylabel=f"% of the {title} fetched", ylim=(0, 102))
        axis.grid(alpha=0.3)
    axes[1].legend(fontsize=8, loc="lower right")
    figure.suptitle(label)
    _save(figure, folder / f"ordering-{label.replace(',', '').replace(' ', '-').replace('/', '-')}.png")


def gains(folder: Path, by_web: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
    """Draw each order's gain at 10 % of the pages on each web: the median as a dot, all seeds as a line."""
    figure, axis = plt.subplots(figsize=(11, 1.5 + 0.55 * len(by_web)))
    names = [name for name in COLOURS if name not in ("breadth first", "oracle")]
    for row, values in enumerate(by_web.values()):
        for i, name in enumerate(names):
            height = row + 0.09 * (i - len(names) / 2)
            found = [100 * value for value in values[name]]
            axis.plot([min(found), max(found)], [height] * 2, color=COLOURS[name], linewidth=1)
            dot = {"color": COLOURS[name], "label": None if row else name}
            axis.plot([max(median(found), -100)], [height], marker="D" if name == "host votes" else "o", ls="", **dot)
    axis.axvline(0, color="grey")
    axis.axvline(50, color="grey", linestyle=":")
    axis.set(yticks=range(len(by_web)), yticklabels=list(by_web), xlim=(-105, 105), ylim=(len(by_web) - 0.4, -0.6))
    axis.set_xlabel("gain at 10 % of the pages: 0 = breadth first, 100 = oracle")
    axis.legend(fontsize=8, loc="lower left")
    _save(figure, folder / "ordering-gains.png")


def recrawls(
    folder: Path,
    totals: Mapping[str, Sequence[float]],
    change: Mapping[str, Sequence[float]],
    agreement: Mapping[str, Sequence[float]],
) -> None:
    """Draw the total score, the reaction to a change, and the agreement with PageRank, over passes."""
    for name, series, label in (
        ("recrawl-total", totals, "total score (injected: 1)"),
        ("recrawl-change", change, "importance of the risen (later PageRank: 1)"),
        ("importance-pagerank", agreement, "Spearman correlation with PageRank"),
    ):
        figure, axis = plt.subplots(figsize=(7, 4.5))
        for title, values in series.items():
            axis.plot(range(1, len(values) + 1), values, marker=".", label=title)
        if series is totals:
            axis.set_yscale("log")
        _label(axis, "fetches per page" if series is agreement else "pass", label)
        _save(figure, folder / f"{name}.png")


def _label(axis: Axes, x: str, y: str) -> None:
    axis.set(xlabel=x, ylabel=y)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)


def _save(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
