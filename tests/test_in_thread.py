"""What is done in a thread comes back, or is raised, where it is waited for."""

from __future__ import annotations

import threading

import pytest

from ctxkit.in_thread import in_thread


def test_the_result_of_the_thread_is_waited_for():
    go = threading.Event()

    def work() -> str:
        go.wait()
        return threading.current_thread().name

    result = in_thread(work)
    go.set()
    assert result() != threading.current_thread().name
    assert result() == result()


def test_what_the_work_raised_is_raised_to_who_waits():
    result = in_thread(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        result()
