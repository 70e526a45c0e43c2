"""Writing where we may, whole or not at all, and never through a link."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ctxkit.errors import CtxError


def real_folder(folder: Path) -> Path:
    """Make `folder` if it is missing and return it. Raises CtxError where it is a link or not a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        mode = os.lstat(folder).st_mode
    except FileExistsError as error:
        raise CtxError(f'{folder} is not a folder', 'move it away; ctxkit writes its files there') from error
    except OSError as error:
        raise CtxError(f'{folder} cannot be made ({error.strerror})', 'check permissions and free space') from error
    if not stat.S_ISDIR(mode):
        raise CtxError(f'{folder} is a link', 'ctxkit does not write through links; replace it with a folder')
    return folder


def write_whole(file: Path, data: bytes | str) -> bool:
    """Replace `file` by `data` in one step; the folder must exist. Returns False if it already held these bytes.

    A reader sees the old bytes or the new ones, never half. A link at `file` is replaced, not followed.
    Raises CtxError where the disk is full or read-only; the old file is left as it was.
    """
    content = data.encode('utf-8', 'surrogateescape') if isinstance(data, str) else data
    try:
        if not file.is_symlink() and file.is_file() and file.read_bytes() == content:
            return False
        handle, name = tempfile.mkstemp(prefix=f'.{file.name}.', suffix='.tmp', dir=file.parent)
        try:
            with os.fdopen(handle, 'wb') as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise CtxError(f'{file} cannot be written ({error.strerror})', 'check permissions and free space') from error
    return True
