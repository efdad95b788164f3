"""Conf folders as Nutch's users have them, and crawlers that read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import Settings

from nutchlike.nutch_conf import read_nutch_conf

ADDONS = {"nutchlike.addon.NutchlikeAddon": 100}


def xml_of(properties: dict[str, str]) -> str:
    """Return the XML of a Hadoop configuration."""
    rows = "".join(
        f"<property>\n  <name>{name}</name>\n  <value>{value}</value>\n</property>\n"
        for name, value in properties.items()
    )
    return f'<?xml version="1.0"?>\n<configuration>\n{rows}</configuration>\n'


def write_conf(folder: Path, *, site: dict[str, str] | str, default: dict[str, str] | None = None) -> Path:
    """Make ``folder`` one of Nutch's, with the properties of its two files; ``site`` may be the XML itself."""
    folder.mkdir(exist_ok=True)
    if default is not None:
        (folder / "nutch-default.xml").write_text(xml_of(default), encoding="utf-8")
    (folder / "nutch-site.xml").write_text(site if isinstance(site, str) else xml_of(site), encoding="utf-8")
    return folder


def values_of(folder: Path, **environ: str) -> dict[str, str]:
    return {name: found.value for name, found in read_nutch_conf(folder, environ=environ).items()}


def built(
    folder: Path, *, spider: type[Spider] = Spider, command_line: dict[str, Any] | None = None, **project: Any
) -> Crawler:
    """Return a crawler of a project with NUTCH_CONF_DIR, its settings having gone through the add-on."""
    settings = Settings(
        {"ADDONS": ADDONS, "TWISTED_REACTOR_ENABLED": False, "NUTCH_CONF_DIR": str(folder)} | project,
        priority="project",
    )
    settings.setdict(command_line or {}, priority="cmdline")
    crawler = AsyncCrawlerRunner(settings).create_crawler(spider)
    crawler.addons.load_settings(crawler.settings)
    return crawler
