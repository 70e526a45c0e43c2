"""Find the commits that a request speaks of, and the code that they changed.

A request about nothing but changes (`review my last commit`) is answered by what they changed, as a block without a
request is. Beside other words (`3f2a1bc broke the login`), what they changed gains score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ctxkit import repo as git
from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_corpus
from ctxkit.index.record import SYMBOL
from ctxkit.index.terms import term_id
from ctxkit.repo import Change, Repo, WorkTree
from ctxkit.settings import Settings
from ctxkit.units import history, prepare, select
from ctxkit.units.candidate import Candidate
from ctxkit.units.change_words import Meant
from ctxkit.units.score import MANY_FILES
from ctxkit.units.walk import Walk
from ctxkit.units.without_request import as_edited, shown_of

LIFT = 0.5  # of the best score, that a chunk gains which a named commit changed
LIFT_OF_MANY = 0.25  # the same where more than FEW commits are meant, for each says less
FEW = 3
MOST_COMMITS = 48  # of a branch, a merge or a span of days
SEARCHED = 3_000  # commits, the last ones, whose messages are searched for the number of an issue
NAMING = 3  # commits that name it
ABOUT_GIT = 10  # definitions whose names say `commit`, and as many `branch`: few but tools for git have both
_MAIN = ('origin/HEAD', 'origin/main', 'origin/master', 'main', 'master')


def commits_meant(repo: Repo, meant: Meant, head: str, changes: Sequence[Change], now: float) -> list[history.Past]:
    """The commits that a request speaks of, newest first, merges resolved into what they brought; [] if there are none.

    `head` is HEAD ('' on an unborn branch), `changes` the uncommitted ones: where there are some, they are `own`.
    """
    if not head:
        return []
    named = [commit for one in meant.ids if (commit := git.resolve(repo, one)) and _is_past(repo, commit, head)]
    named += [commit for number in meant.numbers for commit in _naming(repo, number, head)]
    out = [past for commit in dict.fromkeys(named) for past in _brought(repo, commit)]
    for first, last in meant.spans:
        out += _between(repo, first, last, head)
    if meant.last:
        out += history.commits(repo, f'--max-count={meant.last}', '--no-merges', '--end-of-options', head)
    if meant.branch or meant.own and not changes:
        out += _of_branch(repo, head)
    if meant.days:
        since = f'--since={int(now) - meant.days * 86400}'
        out += history.commits(repo, since, f'--max-count={MOST_COMMITS}', '--no-merges', '--end-of-options', head)
    if not out and meant.alone and meant.own and not changes:
        out = history.commits(repo, '--max-count=1', '--no-merges', '--end-of-options', head)
    return list({past.commit: past for past in out}.values())


def is_about_git(corpus: Corpus) -> bool:
    """Whether the code is that of a tool for git, where `the last commit` is mostly what it shows."""
    return all(len(corpus.holding(term_id(word), SYMBOL)) >= ABOUT_GIT for word in ('commit', 'branch'))


def select_of_changes(
    corpus: Corpus,
    settings: Settings,
    meant: Meant,
    tree: WorkTree,
    room: int,
    now: float,
    count: Callable[[str], int],
    paths_only: bool,
) -> select.Selection | None:
    """The units of the changes that a request is about; None if these are the last ones, or nothing is left of them."""
    repo = corpus.repo
    pasts = commits_meant(repo, meant, tree.commit, tree.changes, now)
    if not pasts:
        return None
    committed = _committed(corpus, settings, tree.changes)
    walk = Walk(committed, tree.commit, now, pasts)
    made = prepare.of_commits(committed, pasts, walk, now, history.edits_today(repo, tree.commit, now))
    touched = {(unit.path, unit.symbol) for unit in made}
    units = [
        unit
        for unit in as_edited(repo, settings, made, tree, now)
        if unit.event != 'edit' or meant.branch or meant.days or (unit.path, unit.symbol) in touched
    ]
    shown, left = shown_of(units, settings, room, now, count, paths_only)
    return select.Selection(shown, left) if shown else None


def touched(corpus: Corpus, settings: Settings, meant: Meant, changes: Sequence[Change], now: float) -> dict[int, str]:
    """The chunks that the commits of which a request speaks changed, and why each counts; those of the newest first."""
    head = corpus.manifest.commit
    pasts = commits_meant(corpus.repo, meant, head, changes, now)
    if not pasts:
        return {}
    committed = _committed(corpus, settings, changes)
    walk = Walk(committed, head, now, pasts)
    why: dict[int, str] = {}
    for past in pasts:
        for one in walk.chunks(past) if len(past.paths) <= MANY_FILES else ():
            changed = committed.in_file(one.path)[one.number][1]
            now_there = corpus.in_file(one.path)
            same = [chunk for chunk, place in now_there if place.digest == changed.digest]
            if not same:  # edited since; of several with its name nobody knows which one
                named = [chunk for chunk, place in now_there if changed.symbol and place.symbol == changed.symbol]
                same = named if len(named) == 1 else []
            for chunk in same:
                why.setdefault(chunk, f'changed in {past.commit[:8]}')
    return why


def lifted(candidates: list[Candidate], why: Mapping[int, str]) -> list[Candidate]:
    """The candidates, those raised by LIFT or LIFT_OF_MANY that are among the `touched` chunks, with that as `why`."""
    if not candidates or not why:
        return candidates
    gain = (LIFT if len(set(why.values())) <= FEW else LIFT_OF_MANY) * candidates[0].score
    raised = [
        one._replace(score=one.score + gain, why=why[one.chunk]) if one.chunk in why else one for one in candidates
    ]
    return sorted(raised, key=lambda one: -round(one.score, 5))


def _is_past(repo: Repo, commit: str, head: str) -> bool:
    return git.text(git.git(repo, 'merge-base', '--end-of-options', commit, head, check=False)).strip() == commit


def _committed(corpus: Corpus, settings: Settings, changes: Sequence[Change]) -> Corpus:
    """The corpus of HEAD, without the edits."""
    if not changes:
        return corpus
    return open_corpus(corpus.repo, corpus.store, corpus.manifest, encoder_for(settings.model.name))


def _naming(repo: Repo, number: int, head: str) -> list[str]:
    """The last commits that name an issue or a pull request in their messages."""
    what = (f'--max-count={SEARCHED}', '--format=%H%x00%B%x00', '--end-of-options', head, '--')
    fields = git.text(git.git(repo, 'log', *what, check=False)).split('\0')
    said = re.compile(rf'(?:(?<![\w&])#|!){number}(?!\d)')  # GitLab names a merge request group/project!12
    naming = [
        commit.strip() for commit, message in zip(fields[::2], fields[1::2], strict=False) if said.search(message)
    ]
    return naming[:NAMING]


def _brought(repo: Repo, commit: str) -> list[history.Past]:
    """The commit; if it is a merge, the commits that it brought."""
    since = f'^{commit}^' if git.resolve(repo, f'{commit}^') else f'^{commit}^@'  # the first of all has no parent
    return history.commits(repo, f'--max-count={MOST_COMMITS}', '--no-merges', '--end-of-options', commit, since)


def _between(repo: Repo, first: str, last: str, head: str) -> list[history.Past]:
    """The commits up to `last` that `first` has not."""
    before, after = _version(repo, first), _version(repo, last)
    if not before or not after or not _is_past(repo, after, head):
        return []
    return history.commits(repo, f'--max-count={MOST_COMMITS}', '--no-merges', '--end-of-options', after, f'^{before}')


def _version(repo: Repo, name: str) -> str:
    """The commit of a branch, a version (`1.2` is the tag v1.2), or any other name; '' if git knows none."""
    return next((commit for one in (name, f'v{name}', f'origin/{name}') if (commit := git.resolve(repo, one))), '')


def _of_branch(repo: Repo, head: str) -> list[history.Past]:
    """The commits of the current branch that the main one has not."""
    main = next((commit for one in _MAIN if (commit := git.resolve(repo, one)) not in ('', head)), '')
    if not main:
        return []
    return history.commits(repo, f'--max-count={MOST_COMMITS}', '--no-merges', '--end-of-options', head, f'^{main}')
