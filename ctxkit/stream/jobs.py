"""Slicing jobs: a repository, a commit and some of its files, and how they are written into the queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.stream.names import queued

if TYPE_CHECKING:
    from redis import Redis

SCHEMA = '1'
BATCH_FILES = 48


@dataclass(frozen=True)
class Job:
    """Files to slice: `files` are (blob, path). `folder` is the clone, `project` its identity ('' if unknown).

    `model` is a model's name, `model_id` its required identity: two workers may have different models under one name.
    """

    id: str
    folder: str
    project: str
    commit: str
    model: str
    model_id: str
    max_bytes: int
    files: tuple[tuple[str, str], ...]

    def fields(self) -> dict[str, str]:
        """All fields but the files, as the queue holds them."""
        return {
            'schema': SCHEMA, 'folder': self.folder, 'project': self.project, 'commit': self.commit,
            'model': self.model, 'model_id': self.model_id, 'max_bytes': str(self.max_bytes),
        }  # fmt: skip

    def texts(self) -> list[str]:
        """Each file as JSON."""
        return [json.dumps(file, ensure_ascii=True, separators=(',', ':')) for file in self.files]


def of_tree(client: Redis, repo: Repo, settings: Settings, commit: str, project: str) -> Iterator[Job]:
    """The jobs for what the shared store lacks of a commit's tree; the queue will give them their ids."""
    from ctxkit.embedding import encoder_for
    from ctxkit.index.record import path_hint
    from ctxkit.index.scan import scan
    from ctxkit.index.store import Key
    from ctxkit.stream.shared import absent

    entries, _ = scan(repo, commit, settings.slicing)
    limit = settings.slicing.max_file_bytes
    paths = {Key(entry.blob, path_hint(entry.path, limit)): entry.path for entry in entries}
    model = settings.model.name
    model_id = encoder_for(model).model_id
    lacking = absent(client, list(paths), model_id)
    for start in range(0, len(lacking), BATCH_FILES):
        files = tuple((key.blob, paths[key]) for key in lacking[start : start + BATCH_FILES])
        yield Job('', str(repo.root), project, commit, model, model_id, limit, files)


def queued_names(job: Job) -> list[str]:
    """The names of the job's file contents in JOBS_QUEUED."""
    from ctxkit.index.record import path_hint

    return [queued(blob, path_hint(path, job.max_bytes), job.model_id) for blob, path in job.files]


def parse(key: str, raw: dict[bytes, bytes]) -> Job | None:
    """The job in an entry of the queue; None if this version cannot read it."""
    said = {name.decode('utf-8', 'replace'): value.decode('utf-8', 'surrogateescape') for name, value in raw.items()}
    if said.get('schema') != SCHEMA:
        return None
    try:
        files = tuple((str(blob), str(path)) for blob, path in json.loads(said['files']))
        limit, model_id = int(said['max_bytes']), said['model_id']
        return Job(key, said['folder'], said['project'], said['commit'], said['model'], model_id, limit, files)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
