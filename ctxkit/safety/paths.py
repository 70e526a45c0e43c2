"""Writing where we may, whole or not at all, and never through a link."""

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

CTX_IGNORE = '*\n!config.yaml\n'  # what `.ctx/.gitignore` says: only the settings are for others
HALF = '.tmp'  # ends the name of a file that is being written
HALF_SECONDS = 3600  # nobody writes a file for so long
REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)  # what a system says where it lets nobody write
REPARSE_POINT = 0x400  # Windows: a junction is a folder to lstat, and still leads elsewhere


def is_link(path: Path) -> bool:
    """Whether `path` is a symbolic link or a junction, dangling ones too."""
    try:
        state = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISLNK(state.st_mode) or bool(getattr(state, 'st_file_attributes', 0) & REPARSE_POINT)


def real_folder(folder: Path, base: Path | None = None) -> Path:
    """Make `folder` if it is missing and return it. Raises CtxError where it is a link or not a folder.

    Where the path goes through `.ctx`, no part from there on may be a link: the folder above is the person's, what is
    in the repository may be a hostile clone's. The folder above `.ctx`, or `base`, is not made: a repository that
    somebody deletes while it is worked in must not come back.
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
    """Whether the system lets us make files in a folder. It is tried: Landlock, by which sandboxes keep an agent from
    writing, does not say so when it is only asked."""
    if not os.access(folder, os.W_OK):
        return False
    try:
        handle, name = _half_file(folder, '')
    except OSError as error:
        return error.errno not in REFUSED
    os.close(handle)
    with suppress(OSError):  # Windows: who looks at each new file has it open
        remove(Path(name))
    return True


def _half_file(folder: Path, name: str) -> tuple[int, str]:
    """A new file, for us alone, and its path. `tempfile` would try without end where Windows lets nobody write."""
    path = os.path.join(folder, f'.{name[:60]}.{os.urandom(4).hex()}{HALF}')
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, 'O_BINARY', 0) | getattr(os, 'O_NOFOLLOW', 0)
    return os.open(path, flags, 0o600), path


def data_folder(data_dir: Path, *below: str) -> Path:
    """A repository's own folder in git's, or one below it, made if it is missing. Raises CtxError as `real_folder`."""
    return real_folder(data_dir.joinpath(*below), data_dir.parent)


def writable_folder(folder: Path) -> Path:
    """As `data_folder`; raises CtxError where nothing may be written in it."""
    if not may_write(data_folder(folder)):
        raise CtxError(f'{folder} may not be written', 'check permissions')
    return folder


def ctx_folder(folder: Path) -> Path:
    """Make a work tree's `.ctx` and tell git to ignore it; returns the folder. Raises CtxError as `real_folder`."""
    if not (real_folder(folder) / '.gitignore').exists():
        write_ignore(folder)
    return folder


def write_ignore(folder: Path) -> bool:
    """Write `.ctx/.gitignore`; False if it was there. All may read it: `git add` fails where it cannot."""
    return write_whole(real_folder(folder) / '.gitignore', CTX_IGNORE, 0o644)


def read_plain(file: Path, limit: int) -> bytes | None:
    """The bytes of a regular file; None where it is missing, unreadable, larger than `limit`, or a link.

    For what lies in `.ctx`: in a hostile clone it can be a link to a device that never ends.
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

    Large data can be given in pieces, which are asked for up to three times and never put together in memory; a
    memoryview is of single bytes.
    `durable` False spares the wait for the disk, for caches that are checked when read.
    A reader sees the old bytes or the new ones, never half. A link at `file` is replaced, not followed. Permissions are
    `mode`, else those of the file that is replaced, else the owner's alone; root leaves its owner to a file.
    Raises CtxError where the disk is full or read-only; the old file is left as it was.
    """
    pieces = [_encoded(data)] if isinstance(data, str) else [data] if isinstance(data, bytes) else data
    before = None
    try:
        # what another user wrote, root in a container perhaps, may not be readable; in a folder of ours it is replaced
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
                    with suppress(OSError):  # only root may; not by name, which the owner can give to another file
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
        raise CtxError(f'{file} cannot be written ({error.strerror})', 'name another file') from error


def _replaceable(file: Path) -> bool:
    """Whether a name is free or a file's. Root could replace `/dev/null` as well, and the link `/dev/stdout`."""
    if os.path.realpath(file.parent).startswith(('/dev', '/proc')):
        return False
    return not os.path.exists(file) or os.path.isfile(file)


def _holds(file: Path, pieces: Iterable[bytes | memoryview]) -> bool:
    """Whether these are the bytes of a file; one of another size is not read."""
    if os.stat(file).st_size != sum(map(len, pieces)):
        return False
    with file.open('rb') as source:
        return all(source.read(len(piece)) == piece for piece in pieces)


def sweep(folder: Path) -> None:
    """Remove the half files that killed processes left in a folder."""
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
        return  # there is none, or it is not ours


def _encoded(text: str) -> bytes:
    try:
        return text.encode('utf-8', 'surrogateescape')
    except UnicodeEncodeError:  # half of a pair, as JSON can bring
        return text.encode('utf-8', 'replace')


def replace(name: str | Path, file: Path) -> None:
    """`os.replace`, patient with Windows, where it fails while somebody has one of the two open."""
    patiently(lambda: os.replace(name, file))


def remove(file: Path) -> None:
    """Delete a file, which may be gone already; patient as `replace`."""
    patiently(lambda: file.unlink(missing_ok=True))


def patiently(step: Callable[[], object], tries: int = 20 if os.name == 'nt' else 0, pause: float = 0.02) -> None:
    """Do `step`, and again after `pause` seconds where it is refused, up to `tries` times."""
    for _ in range(tries):
        try:
            step()
            return
        except PermissionError:
            time.sleep(pause)
    step()


def tree_above(start: Path) -> Path | None:
    """The nearest folder, `start` itself or above it, that holds a `.git`; None outside any work tree. Git would take
    longer than all the rest of a short command, so it is not asked."""
    return next((folder for folder in (start, *start.parents) if (folder / '.git').exists()), None)
