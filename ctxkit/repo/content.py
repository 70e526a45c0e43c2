"""The content of blobs, many at once or one by one; objects that a partial clone lacks are never fetched."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterable, Iterator
from typing import IO

from ctxkit.repo.partial_clone import is_partial, present
from ctxkit.repo.run import Repo, started

# By default git maps all that it touches of a large repository's packs and caches 96 MB of delta bases: half the memory
# of a first index, for no gain in speed, because each blob is read once.
_SMALL = ('core.packedGitWindowSize=1m', 'core.packedGitLimit=32m', 'core.deltaBaseCacheLimit=8m')
# What we store under a blob's id must be that blob, even where `git replace` puts another one in its place for now.
AS_NAMED = (*(part for one in _SMALL for part in ('-c', one)), '--no-replace-objects', 'cat-file')


def blobs(repo: Repo, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
    """Stream (id, content) of blobs in the order of `ids`; content is None where the object is missing.

    Objects that a partial clone lacks are not fetched. One `git cat-file --batch` process reads all. Git before 2.45,
    without GIT_NO_LAZY_FETCH, ends at the first object that it may not fetch; the rest is then requested again without
    the objects that are not local.
    """
    wanted = list(ids)
    local = present(repo, set(wanted))
    found = _blobs(repo, [blob for blob in wanted if blob in local])
    for blob in wanted:
        yield next(found, (blob, None)) if blob in local else (blob, None)


def _blobs(repo: Repo, wanted: list[str]) -> Iterator[tuple[str, bytes | None]]:
    done = 0
    for blob, content in _batch(repo, wanted):
        done += 1
        yield blob, content
    if done < len(wanted):
        local = _local(repo, set(wanted[done:]))
        rest = _batch(repo, [blob for blob in wanted[done:] if blob in local])
        for blob in wanted[done:]:
            yield blob, next(rest, (blob, None))[1] if blob in local else None


def _batch(repo: Repo, wanted: list[str]) -> Iterator[tuple[str, bytes | None]]:
    """Like `blobs`, but ends early where git does."""
    process = started(repo, *AS_NAMED, '--batch', '--buffer', stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    source, output = process.stdin, process.stdout

    def feed() -> None:
        try:
            with source:
                source.write(''.join(f'{blob}\n' for blob in wanted).encode('ascii'))
        except (OSError, ValueError):
            return  # the reader stopped early, or git died; the reader notices

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    try:
        for blob in wanted:
            yield blob, _next_blob(output)
    except EOFError:
        return
    finally:
        process.terminate()
        output.close()
        feeder.join()
        process.wait()


def _next_blob(output: IO[bytes]) -> bytes | None:
    """The next blob that `git cat-file --batch` prints; None for a missing or other object. EOFError if git ended."""
    header = output.readline().split()
    if not header:
        raise EOFError
    if len(header) != 3 or not header[2].isdigit():
        return None
    content = output.read(int(header[2]))
    output.read(1)
    return content if header[1] == b'blob' else None


class BlobReader:
    """Reads blobs one by one through a single git process, which is started for the first. Close it after use."""

    def __init__(self, repo: Repo, sure: bool = False) -> None:
        """`sure` says that all blobs exist; otherwise, in a partial clone, each is looked up first."""
        self._repo = repo
        self._sure = sure or not is_partial(repo)
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, blob: str) -> bytes | None:
        """The content of a blob; None where the object is missing (it is not fetched)."""
        if not self._sure and not present(self._repo, {blob}):
            return None
        if self._process is None:
            self._process = started(self._repo, *AS_NAMED, '--batch', stdin=subprocess.PIPE)
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f'{blob}\n'.encode('ascii'))
            process.stdin.flush()
            return _next_blob(process.stdout)
        except (OSError, EOFError):  # an older git ends at an object that it may not fetch
            self.close()
            return None

    def close(self) -> None:
        """End the git process."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            for stream in (process.stdin, process.stdout):
                try:
                    stream.close()
                except OSError:
                    continue  # unwritten input is of no use to a process that ends
            process.terminate()
            process.wait()


def _local(repo: Repo, wanted: set[str]) -> set[str]:
    """Those of `wanted` that are in this repository's own object store."""
    process = started(repo, *AS_NAMED, '--batch-all-objects', '--batch-check=%(objectname)', '--unordered')
    assert process.stdout is not None
    with process, process.stdout as output:
        return {blob for blob in (line.strip().decode('ascii') for line in output) if blob in wanted}
