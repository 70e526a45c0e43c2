"""jedi on a repository of Python: it infers types and follows imports. Needs jedi (pip install jedi)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.links.calls import Answer, Call, Place

LANGUAGES = frozenset({'python'})


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where jedi fails."""
    import jedi

    root = root.resolve()
    # Only the clone itself: a package of this environment that has its name must not answer for it.
    places = [str(root / name) for name in ('', 'src', 'lib') if (root / name).is_dir()]
    project = jedi.Project(str(root), sys_path=places)
    for call in calls:
        try:
            script = jedi.Script(path=str(root / call.path), project=project)
            names = script.goto(call.line, call.column, follow_imports=True)
        except Exception:  # jedi raises whatever its inference meets
            yield None
            continue
        inside, elsewhere = set(), set()
        for one in names:
            if one.type not in ('function', 'class'):
                continue
            if one.module_path is None or one.line is None:
                elsewhere.add(Place('', 0))
                continue
            file = Path(one.module_path).resolve()
            if file.is_relative_to(root):
                inside.add(Place(file.relative_to(root).as_posix(), one.line))
            else:
                elsewhere.add(Place(str(file), one.line))
        yield Answer(frozenset(inside), frozenset(elsewhere))
