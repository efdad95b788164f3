"""Packs the egg that scrapyd-deploy sends: it calls this file. All metadata is in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithSeeds(build_py):
    """Puts ``seeds/`` beside the package's modules, where ``-a seeds=seeds/urls.txt`` finds it inside an egg."""

    def run(self) -> None:
        super().run()
        for seeds in sorted(Path("seeds").glob("*.txt")):
            target = Path(self.build_lib, "nutchlike", seeds)
            self.mkpath(str(target.parent))
            self.copy_file(str(seeds), str(target))


setup(cmdclass={"build_py": BuildWithSeeds})
