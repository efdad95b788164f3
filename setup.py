"""Packs the egg that scrapyd-deploy sends: it calls this file. All metadata is in pyproject.toml."""

from setuptools import setup

setup()
