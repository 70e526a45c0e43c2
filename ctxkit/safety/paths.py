"""Write only where we may, whole or not at all, and never through a link."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from ctxkit.errors import CtxError

CTX_IGNORE = '*\n!config.yaml\n'  # content of `.ctx/.gitignore`: only the settings are shared
HALF = '.tmp'  # ends the name of a file that is being written
HALF_SECONDS = 3600  # no file takes so long to write
REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)  # errors that mean writing is not allowed
REPARSE_POINT = 0x400  # Windows: to lstat, a junction is a folder, yet it leads elsewhere


def is_link(path: Path) -> bool:
    """Whether `path` is a symbolic link or a junction, even a dangling one."""
    try:
        state = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISLNK(state.st_mode) or bool(getattr(state, 'st_file_attributes', 0) & REPARSE_POINT)


def real_folder(folder: Path, base: Path | None = None) -> Path:
    """Make `folder` if it is missing and return it. Raises CtxError where it is a link or not a folder.

    Where the path goes through `.ctx`, no part from there on may be a link: the folder above is the person's, but what
    is in the repository may come from a hostile clone. The folder above `.ctx`, or `base`, is not made: a repository
    that somebody deletes while work goes on in it must not come back.
    """
    parts = [folder]
    if '.ctx' in folder.parts:
        depth = len(folder.parts) - folder.parts.index('.ctx')
        parts += list(folder.parents)[: depth - 1]
        base = parts[-1].parent
    elif base:
        parts += [part for part in folder.parents if part.is_relative_to(base) and part != base]
    for part in reversed(parts):
        if is_link(part):
            raise CtxError(f'{part} is a link', 'ctxkit does not write through links; replace it with a folder')
    try:
        for part in reversed(parts):
            part.mkdir(parents=base is None, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise CtxError(f'{folder} is not a folder', 'move it away; ctxkit writes its files there') from error
    except OSError as error:
        raise CtxError(f'{folder} cannot be made ({error.strerror})', 'check permissions and free space') from error
    return folder


def may_write(folder: Path) -> bool:
    """Whether the system lets us make files in `folder`, found by making one: `os.access` does not know of Landlock,
    with which sandboxes keep an agent from writing."""
    if not os.access(folder, os.W_OK):
        return False
    try:
        handle, name = _half_file(folder, '')
    except OSError as error:
        return error.errno not in REFUSED
    os.close(handle)
    with suppress(OSError):  # Windows: a virus scanner may have the new file open
        remove(Path(name))
    return True


def _half_file(folder: Path, name: str) -> tuple[int, str]:
    """Open a new file that only we can read, and return its handle and path. `tempfile` would try without end where
    Windows forbids writing."""
    path = os.path.join(folder, f'.{name[:60]}.{os.urandom(4).hex()}{HALF}')
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, 'O_BINARY', 0) | getattr(os, 'O_NOFOLLOW', 0)
    return os.open(path, flags, 0o600), path


def data_folder(data_dir: Path, *below: str) -> Path:
    """Make and return a repository's own folder in git's, or one below it. Raises CtxError as `real_folder` does."""
    return real_folder(data_dir.joinpath(*below), data_dir.parent)


def writable_folder(folder: Path) -> Path:
    """Like `data_folder`, but raises CtxError where nothing may be written in it."""
    if not may_write(data_folder(folder)):
        raise CtxError(f'{folder} is not writable', 'check permissions')
    return folder


def ctx_folder(folder: Path) -> Path:
    """Make a work tree's `.ctx`, tell git to ignore it, and return it. Raises CtxError as `real_folder` does."""
    if not (real_folder(folder) / '.gitignore').exists():
        write_ignore(folder)
    return folder


def write_ignore(folder: Path) -> bool:
    """Write `.ctx/.gitignore`; False if it already held this. Everyone may read it: otherwise `git add` would fail."""
    return write_whole(real_folder(folder) / '.gitignore', CTX_IGNORE, 0o644)


def read_plain(file: Path, limit: int) -> bytes | None:
    """The bytes of a regular file; None where it is missing, unreadable, larger than `limit`, or a link.

    Use it for files in `.ctx`: in a hostile clone one can be a link to a device that never ends.
    """
    try:
        state = os.lstat(file)
        if not stat.S_ISREG(state.st_mode) or state.st_size > limit or is_link(file):
            return None
        with file.open('rb') as source:
            return source.read(limit + 1)
    except OSError:
        return None


def write_whole(
    file: Path, data: bytes | str | Iterable[bytes | memoryview], mode: int | None = None, durable: bool = True
) -> bool:
    """Replace `file` by `data` in one step; the folder must exist. Returns False if it already held these bytes.

    A reader sees the old bytes or the new ones, never half. Large data can be given in pieces (a memoryview must be of
    single bytes): they are iterated up to three times and never joined in memory. `durable=False` does not wait for the
    disk; it is for caches that are checked when read.
    A link at `file` is replaced, not followed. Permissions are `mode`, else those of the replaced file, else the
    owner's alone; root keeps the file's owner.
    Raises CtxError where the disk is full or read-only; the old file is left as it was.
    """
    pieces = [_encoded(data)] if isinstance(data, str) else [data] if isinstance(data, bytes) else data
    before = None
    try:
        # a file of another user, such as root in a container, may be unreadable; in our own folder it is replaced
        if not is_link(file) and file.is_file() and os.access(file, os.R_OK):
            if _holds(file, pieces):
                return False
            before = os.stat(file)
            mode = stat.S_IMODE(before.st_mode) if mode is None else mode
        handle, name = _half_file(file.parent, file.name)
        try:
            with os.fdopen(handle, 'wb') as out:
                out.writelines(pieces)
                out.flush()
                if durable:
                    os.fsync(out.fileno())
                if before is not None and sys.platform != 'win32' and before.st_uid != os.geteuid():
                    with suppress(OSError):  # only root may; by handle, as the owner can swap the name
                        os.fchown(out.fileno(), before.st_uid, before.st_gid)
                if mode is not None:
                    with suppress(OSError):  # a file system without modes: the file stays the owner's alone
                        os.chmod(out.fileno() if os.chmod in os.supports_fd else name, mode)
            replace(name, file)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise CtxError(f'{file} cannot be written ({error.strerror})', 'check permissions and free space') from error
    return True


def write_named(file: Path, text: str) -> None:
    """Write to the file that a person named: it is replaced whole, but a device or a pipe is written into.

    Raises CtxError where it cannot be written.
    """
    try:
        if _replaceable(file):
            write_whole(file, text)
        else:
            file.write_bytes(_encoded(text))
    except OSError as error:
        raise CtxError(f'{file} cannot be written ({error.strerror})', 'choose another file') from error


def _replaceable(file: Path) -> bool:
    """Whether `file` is a free name or a regular file. Root could replace `/dev/null` or the link `/dev/stdout`."""
    if os.path.realpath(file.parent).startswith(('/dev', '/proc')):
        return False
    return not os.path.exists(file) or os.path.isfile(file)


def _holds(file: Path, pieces: Iterable[bytes | memoryview]) -> bool:
    """Whether `file` holds exactly the bytes of `pieces`; a file of another size is not read."""
    if os.stat(file).st_size != sum(map(len, pieces)):
        return False
    with file.open('rb') as source:
        return all(source.read(len(piece)) == piece for piece in pieces)


def sweep(folder: Path) -> None:
    """Remove the partly written files that killed processes left in a folder."""
    try:
        with os.scandir(folder) as entries:
            old = [
                entry.path
                for entry in entries
                if entry.name.startswith('.')
                and entry.name.endswith(HALF)
                and abs(time.time() - entry.stat(follow_symlinks=False).st_mtime) > HALF_SECONDS
            ]
        for path in old:
            os.unlink(path)
    except OSError:
        return  # the folder is missing, or not ours


def _encoded(text: str) -> bytes:
    try:
        return text.encode('utf-8', 'surrogateescape')
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can contain
        return text.encode('utf-8', 'replace')


def replace(name: str | Path, file: Path) -> None:
    """Call `os.replace`, with retries on Windows, where it fails while somebody has one of the two files open."""
    patiently(lambda: os.replace(name, file))


def remove(file: Path) -> None:
    """Delete a file if it exists, with the same retries as `replace`."""
    patiently(lambda: file.unlink(missing_ok=True))


def patiently(step: Callable[[], object], tries: int = 20 if os.name == 'nt' else 0, pause: float = 0.02) -> None:
    """Call `step`; while it raises PermissionError, retry up to `tries` times with `pause` seconds between."""
    for _ in range(tries):
        try:
            step()
            return
        except PermissionError:
            time.sleep(pause)
    step()


def tree_above(start: Path) -> Path | None:
    """The nearest folder, `start` itself or above it, that holds a `.git`; None outside any work tree. Git is not
    asked, because it would take longer than all the rest of a short command."""
    return next((folder for folder in (start, *start.parents) if (folder / '.git').exists()), None)
