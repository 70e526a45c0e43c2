"""All git plumbing, in one place: argument lists, NUL-separated output, no locks taken, nothing of the repository run.

discovery  where the repository is
run        running git safely, and what it says of HEAD, commits, trees, operations
work_tree  how the work tree differs from HEAD, where HEAD stands, and which other work trees there are
content    the content of blobs
partial_clone  which objects a partial clone holds

Paths are `str` decoded with surrogateescape, so that invalid UTF-8 survives; print them through safety.text.
"""

from ctxkit.repo.content import BlobReader, blobs
from ctxkit.repo.discovery import bare, find
from ctxkit.repo.partial_clone import is_partial, present
from ctxkit.repo.run import (
    REGULAR,
    SAFE,
    SERIES,
    Repo,
    TreeEntry,
    branch,
    clean_environ,
    git,
    operation,
    program,
    resolve,
    started,
    text,
    tree,
)
from ctxkit.repo.work_tree import Change, WorkTree, not_checked_out, snapshot, status, worktrees

__all__ = [
    'REGULAR',
    'SAFE',
    'SERIES',
    'BlobReader',
    'Change',
    'Repo',
    'TreeEntry',
    'WorkTree',
    'bare',
    'blobs',
    'branch',
    'clean_environ',
    'find',
    'git',
    'is_partial',
    'not_checked_out',
    'operation',
    'present',
    'program',
    'resolve',
    'snapshot',
    'started',
    'status',
    'text',
    'tree',
    'worktrees',
]
