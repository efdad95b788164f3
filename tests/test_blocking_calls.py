"""Blocking calls beside the reactor: in order, and never in the way of a crawl that is to end."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from threading import Event, current_thread, main_thread

import pytest
import redis
from web import Answer, Project, html, serve

from nutchlike.blocking_calls import HANGING_SECONDS, BlockingCalls


def goes_on() -> bool:
    return False


def test_calls_run_in_one_other_thread_in_the_order_in_which_they_came() -> None:
    async def main() -> None:
        calls, done = BlockingCalls(is_ending=goes_on), []

        def work(number: int) -> object:
            done.append(number)
            return current_thread()

        threads = await asyncio.gather(*(calls.run(lambda n=n: work(n)) for n in range(50)))
        assert done == list(range(50))
        assert len(set(threads)) == 1
        assert threads[0] is not main_thread()
        assert calls.close(patience=10)

    asyncio.run(main())


def test_the_loop_goes_on_while_a_call_is_under_way() -> None:
    async def main() -> None:
        calls, may_end = BlockingCalls(is_ending=goes_on), Event()
        call = asyncio.ensure_future(calls.run(lambda: may_end.wait(20)))
        await asyncio.sleep(0)
        may_end.set()  # from the loop: were it blocked, the call would give up and return False
        assert await call
        calls.close()

    asyncio.run(main())


def test_whoever_awaits_gets_the_error_and_the_next_call_runs() -> None:
    def fail() -> None:
        raise redis.ConnectionError("gone")

    async def main() -> None:
        calls = BlockingCalls(is_ending=goes_on)
        with pytest.raises(redis.ConnectionError, match="gone"):
            await calls.run(fail)
        assert await calls.run(lambda: 5) == 5
        calls.close()

    asyncio.run(main())


def test_a_call_that_hangs_is_given_up_when_the_crawl_ends_with_those_behind_it() -> None:
    async def main() -> None:
        is_ending, may_end, ran = False, Event(), []
        calls = BlockingCalls(is_ending=lambda: is_ending)
        started = time.monotonic()
        hanging = asyncio.ensure_future(calls.run(may_end.wait))
        behind = asyncio.ensure_future(calls.run(lambda: ran.append("behind")))
        await asyncio.sleep(0)
        is_ending = True
        for call in (hanging, behind):
            with pytest.raises(redis.TimeoutError, match="has not been answered"):
                await call
        assert time.monotonic() - started < HANGING_SECONDS + 5
        with pytest.raises(redis.TimeoutError):
            await calls.run(lambda: ran.append("while it hangs"))
        may_end.set()
        deadline = time.monotonic() + 10
        while True:  # the thread is free again, soon
            try:
                await calls.run(lambda: ran.append("later"))
            except redis.TimeoutError:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.01)
            else:
                break
        assert ran == ["later"]
        calls.close()

    asyncio.run(main())


def test_after_the_end_a_call_is_refused() -> None:
    async def main() -> None:
        calls = BlockingCalls(is_ending=goes_on)
        await calls.run(lambda: None)
        assert calls.close(patience=10)
        with pytest.raises(redis.ConnectionError, match="left the store"):
            await calls.run(lambda: None)

    asyncio.run(main())


def test_a_crawl_works_under_a_reactor_without_asyncio(tmp_path: Path) -> None:
    settings = {"SPIDER_MODULES": "general_spiders", "TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
    with serve({"/": Answer(html("/", ["/a"])), "/a": Answer(html("/a", []))}) as web:
        crawl = Project(tmp_path, settings)
        process = crawl.start(f"site={web.url}", spider="followers")
        _, log = process.communicate(timeout=60)
        assert process.returncode == 0, log
        assert web.count() == {"/": 1, "/a": 1}


def test_seed_lists_are_read_under_a_reactor_without_asyncio(tmp_path: Path) -> None:
    settings = {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
    with serve({"/": Answer(html("/", ["/a"])), "/a": Answer(html("/a", []))}) as web:
        (tmp_path / "urls.txt").write_text(f"{web.url}/\n")
        crawl = Project(tmp_path, settings).crawl(f"seeds={tmp_path / 'urls.txt'}")
        assert crawl.code == 0, crawl.log
        assert crawl.urls == [f"{web.url}/", f"{web.url}/a"]
