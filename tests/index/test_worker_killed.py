"""A worker process that is killed while it takes its next batch keeps nobody waiting."""

from __future__ import annotations

import multiprocessing
import threading

from helpers_main import update

from ctxkit.index import workers


def test_the_lock_of_a_killed_worker_is_waited_for_in_vain_but_not_for_ever(git_repo, monkeypatch):
    root = git_repo({f'm{number}.py': f'def function_{number}():\n    return {number}\n' for number in range(140)})
    start = multiprocessing.process.BaseProcess.start
    killed = []

    def start_and_kill(self):
        if 'Spawn' in type(self).__name__ and len(self._args) == 3:
            # In a thread that ends, since the lock lets its owner in again.
            holder = threading.Thread(target=self._args[2].get_lock().acquire)
            holder.start()
            holder.join()
            killed.append(self)
        start(self)
        self.kill()

    monkeypatch.setattr(workers, 'PATIENCE', 0.1)
    monkeypatch.setattr('os.cpu_count', lambda: 2)
    monkeypatch.setattr(multiprocessing.context.SpawnProcess, 'start', start_and_kill)
    done = update(root)
    assert (done.files, done.sliced_files, len(killed)) == (140, 140, 1)
