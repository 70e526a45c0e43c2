"""MEMORY.md, memory_summary.md and the skills: made anew from the facts, with every line of a person kept.

A generated line of a fact ends in the fact's id. A person's edit of it, a line they add, a line they delete: each is
read back as their word (see `edits`), and their own lines stay in the file as they wrote them.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.memory.database import Connection
from ctxkit.memory.facts import Fact, Source, Statement, clean
from ctxkit.memory.project import own_folder
from ctxkit.memory.section import GUIDANCE, of_facts
from ctxkit.memory.skills import Skill, document
from ctxkit.repo import Repo
from ctxkit.safety.database import transaction
from ctxkit.safety.paths import real_folder, replace, write_whole
from ctxkit.safety.secrets import find as find_secrets
from ctxkit.safety.secrets import redact
from ctxkit.safety.text import visible

LONG, SUMMARY = 'MEMORY.md', 'memory_summary.md'
HEADINGS = {
    'goal': 'Goal',
    'decision': 'Decisions',
    'convention': 'Conventions',
    'question': 'Open questions',
    'pitfall': 'Repaired failures',
}
FORMER = 'No longer holds'
MAX_FORMER = 20
MAX_DOCUMENT = 1024 * 1024
_ID = re.compile(r' \[([0-9a-f]{12})\]\s*\Z')
_GAP = '\0'  # an empty line of a person's, until all is in its place
_ITEM = re.compile(r'\A[-*] +')
_MARKS = re.compile(r' \((?:unverified since [^)]*|human|commit|agent|tool)[^()]*\)(?= \[)|\A~~|~~(?= )')


def folder(repo: Repo) -> Path:
    """The folder of the artefacts of this work tree."""
    return repo.ctx_dir / 'memory'


def shown(text: str) -> str:
    """A text of a transcript, safe in a Markdown file: redacted, controls visible, no tag, fence or file import."""
    text = visible(redact(text)).replace('```', "'''")
    return re.sub(r'(?<![\w.`])@(?=[\w./~])', '(at)', text.replace('<', '‹').replace('>', '›'))


def long_lines(facts: Sequence[Fact], now: float) -> list[str]:
    """The lines of MEMORY.md: what holds, by kind, then what no longer does."""
    lines = ['# Project memory', '', f'> {GUIDANCE}', '']
    for kind, heading in HEADINGS.items():
        current = [fact for fact in facts if fact.kind == kind and fact.shown(now)]
        lines += [f'## {heading}', '', *(fact_line(fact) for fact in current), *([''] if current else [])]
    former = [fact for fact in facts if fact.status == 'superseded'][-MAX_FORMER:]
    lines += [f'## {FORMER}', '', *(f'- ~~{shown(fact.text)}~~ [{fact.id}]' for fact in former)]
    return lines


def fact_line(fact: Fact) -> str:
    """One fact as a list item, with who said it and its id."""
    since = fact.unverified_since
    mark = f' (unverified since {since[:10]})' if since else ''
    times = f', {fact.confirmations} times' if fact.confirmations > 1 else ''
    return f'- {shown(fact.text)}{mark} ({fact.who}{times}) [{fact.id}]'


def summary_lines(facts: Sequence[Fact], limit: int, now: float, count: Callable[[str], int]) -> list[str]:
    """The lines of memory_summary.md, within `limit` tokens."""
    body = of_facts(list(facts), limit - count('v1\n'), now, count)
    return ['v1', *(shown(line) for line in body)] if body else ['v1']


def read(file: Path) -> list[str] | None:
    """The lines of a document; [] where there is none; None where it cannot be read, which is not the same."""
    try:
        if file.is_symlink() or file.stat().st_size > MAX_DOCUMENT:
            return None
        return file.read_text('utf-8').split('\n')
    except FileNotFoundError:
        return []
    except (OSError, ValueError):
        return None


def edits(
    db: Connection, root: Path, now: float, all_facts: Callable[[], Sequence[Fact]]
) -> tuple[list[Statement], list[str]]:
    """(what a person's edits of MEMORY.md say, the ids of the facts whose line they deleted).

    `all_facts` is asked only if the file is not as it was written.
    """
    lines = read(root / LONG)
    generated, pending, pending_text = _known(db, root, LONG)
    if not lines or not (generated or pending):
        return [], []
    before = {match[1] for line in generated for match in [_ID.search(line)] if match}
    if not pending_text and set(lines) <= {*generated, ''} and set(generated) <= {*lines, ''}:
        return [], []
    facts = all_facts()
    ours = {*generated, *pending, *long_lines(facts, now)}
    texts = {fact.id: shown(fact.text) for fact in facts}
    said: list[Statement] = []
    kept: set[str] = set()
    kind = ''
    for line in lines:
        heading = line.removeprefix('## ').strip()
        if line.startswith('#'):
            kind = next((name for name, title in HEADINGS.items() if title == heading), '')
            continue
        match = _ID.search(line)
        if match:
            kept.add(match[1])
        if kind and _ITEM.match(line) and line not in ours:
            text = _bare(line)
            if text and not (match and texts.get(match[1]) == text):
                source = Source('ctxkit', LONG, clean(line)[:80])
                said.append(Statement(kind, text, 'human', source, now))
                if match:
                    said.append(Statement('withdraw', '', 'human', source, now, fact=match[1]))
    if pending_text:
        return said, []  # a run was cut short: what is missing may never have been written
    return said, sorted(before - kept)


def _known(db: Connection, root: Path, name: str) -> tuple[list[str], list[str], str]:
    """(lines that were generated into a document, those of a run that was cut short, its whole text)."""
    row = db.execute('SELECT generated, pending FROM documents WHERE root=? AND name=?', (str(root), name)).fetchone()
    if not row:
        return [], [], ''
    pending = json.loads(row[1] or '{}')
    return str(row[0]).split('\n'), pending.get('lines', []), pending.get('text', '')


def with_own_lines(new: list[str], current: list[str], ours: set[str]) -> list[str]:
    """`new` with the person's lines of `current` put back: after the line that they followed, else in their section.

    The same input gives the same bytes: empty lines stand around headings, and between a person's own paragraphs.
    """
    own_ids = {match[1] for line in current if line not in ours for match in [_ID.search(line)] if match}
    out = [line for line in new if line.strip() and not ((found := _ID.search(line)) and found[1] in own_ids)]
    before = heading = ''
    gap = False
    for line in current:
        if not line.strip():
            gap = before not in ours
            continue
        if line in ours:
            before, gap = line, False
            heading = line if line.startswith('#') else heading
            continue
        if line not in out:
            bare = _bare(line)
            out = [item for item in out if not bare or _bare(item) != bare]  # the same fact, in the person's own line
            if before in out:
                at = out.index(before) + 1
            elif heading in out:
                at = next((n for n in range(out.index(heading) + 1, len(out)) if out[n].startswith('#')), len(out))
            else:
                at = len(out)
            out[at:at] = [_GAP, line] if gap else [line]
        before, gap = line, False
    return _spaced(out)


def _spaced(lines: list[str]) -> list[str]:
    spaced: list[str] = []
    for line in lines:
        if line.startswith('#'):
            spaced += ['', line, ''] if spaced and spaced[-1] else [line, '']
        else:
            spaced.append('' if line == _GAP else line)
    return spaced


def _bare(line: str) -> str:
    return clean(_ITEM.sub('', _ID.sub('', _MARKS.sub('', line)))) if _ITEM.match(line) else ''


def write(
    repo: Repo,
    db: Connection,
    facts: Sequence[Fact],
    skills: Sequence[Skill],
    limit: int,
    now: float,
    count: Callable[[str], int],
    still_ours: Callable[[], bool],
) -> list[str]:
    """Replace the artefacts; returns the names of those that were left alone because they could not be read.

    All is made in a folder beside, checked, and moved only if `still_ours` says so then. Raises CtxError where a
    check fails. Files that cannot be read are neither replaced nor removed.
    """
    base = real_folder(own_folder(repo) / 'memory')
    wanted: dict[str, tuple[str, list[str]]] = {}
    unread: list[str] = []
    texts = {fact.id: shown(fact.text) for fact in facts}
    for name, lines in ((LONG, long_lines(facts, now)), (SUMMARY, summary_lines(facts, limit, now, count))):
        current = read(base / name)
        if current is None:
            unread.append(name)
            continue
        generated, pending, _ = _known(db, base, name)
        ours = {
            *generated,
            *pending,
            *lines,
            *(line for line in current if (found := _ID.search(line)) and texts.get(found[1]) == _bare(line)),
        }
        merged = with_own_lines(lines, [redact(line) for line in current], ours)
        written = set(merged)
        wanted[name] = '\n'.join(merged).rstrip('\n') + '\n', [line for line in lines if line in written]
    for skill in skills:
        name = f'skills/{skill.name}/SKILL.md'
        current = read(base / name)
        generated, _, pending_text = _known(db, base, name)
        if current is None:
            unread.append(name)
        elif not current or '\n'.join(current) in ('\n'.join(generated), pending_text):
            content = document(skill, shown)
            wanted[name] = content, content.split('\n')
    stale = _stale(db, base, {f'skills/{skill.name}/SKILL.md' for skill in skills})
    _replace(db, base, wanted, stale, still_ours)
    return unread


def _stale(db: Connection, base: Path, keep: set[str]) -> list[str]:
    """Skills that were generated, are not wanted any more, and that no person has edited."""
    out = []
    rows = db.execute("SELECT name FROM documents WHERE root=? AND name LIKE 'skills/%'", (str(base),)).fetchall()
    for (name,) in rows:
        current = read(base / name)
        generated, _, pending_text = _known(db, base, name)
        if name not in keep and current is not None and '\n'.join(current) in ('\n'.join(generated), pending_text, ''):
            out.append(str(name))
    return out


def _replace(
    db: Connection,
    base: Path,
    wanted: dict[str, tuple[str, list[str]]],
    stale: list[str],
    still_ours: Callable[[], bool],
) -> None:
    staging = base / f'.new-{secrets.token_hex(6)}'
    before = {name: read(base / name) for name in wanted}
    try:
        for name, (content, _) in wanted.items():
            _check(name, content)
            write_whole(real_folder((staging / name).parent) / Path(name).name, content)
        if not still_ours():
            raise CtxError('the lease was lost before the files were replaced', 'another process does this work')
        with transaction(db):
            for name, (content, lines) in wanted.items():
                db.execute(
                    'INSERT INTO documents VALUES(?,?,?,?) ON CONFLICT(root, name) DO UPDATE SET'
                    ' pending=excluded.pending',
                    (str(base), name, '', json.dumps({'text': content, 'lines': lines})),
                )
        for name in wanted:
            if read(base / name) != before[name]:
                continue  # a person saved it this moment: their file stays, the next run reads it
            replace(staging / name, real_folder((base / name).parent) / Path(name).name)
        with transaction(db):
            for name, (_, lines) in wanted.items():
                db.execute(
                    "UPDATE documents SET generated=?, pending='' WHERE root=? AND name=?",
                    ('\n'.join(lines), str(base), name),
                )
            for name in stale:
                (base / name).unlink(missing_ok=True)
                _prune((base / name).parent)
                db.execute('DELETE FROM documents WHERE root=? AND name=?', (str(base), name))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _prune(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # something of the person's is in it, or it is gone already


def _check(name: str, content: str) -> None:
    """What is about to be written must be whole, and free of secrets."""
    if not content.strip() or len(content.encode('utf-8', 'replace')) > MAX_DOCUMENT:
        raise CtxError(f'{name} came out empty or too large', 'run ctxkit memory doctor')
    if find_secrets(content):
        raise CtxError(f'{name} would hold a secret', 'nothing was written; run ctxkit memory doctor')


def sweep(base: Path) -> None:
    """Remove what a killed run left behind: staging folders and half-written temporary files."""
    try:
        left = [entry for entry in base.iterdir() if entry.name.startswith('.') and not entry.is_symlink()]
    except OSError:
        return
    for entry in left:
        if entry.name.startswith('.new-') and entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name.endswith('.tmp') and entry.is_file():
            entry.unlink(missing_ok=True)
