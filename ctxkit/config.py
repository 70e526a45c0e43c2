"""Resolve the settings: defaults < the person's file < the repository's file (safe keys only) < environment < flags.

The repository's `.ctx/config.yaml` may set only what `settings.py` marks as shared. Unknown keys are errors that name
the key.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from ctxkit.errors import CtxError, nearest
from ctxkit.places import config_dir
from ctxkit.records import is_time
from ctxkit.safety.paths import is_link
from ctxkit.settings import LANGUAGES, Settings

T = TypeVar('T')
MAX_CONFIG_BYTES = 64 * 1024
OLDEST = 946_684_800.0  # epoch seconds of the year 2000
MAX_NAMED = 8  # keys of a section that an error lists
# Known variables that do not stand for a setting; the last four belong to the GitHub Action or to commands we start.
VARIABLES = (
    'CTXKIT_CONFIG',
    'CTXKIT_DISABLE',
    'CTXKIT_INPUT_*',
    'CTXKIT_PYTHON',
    'CTXKIT_PUBLISH',
    'CTXKIT_MEMORY_CALL',
)


def user_config_file(environ: Mapping[str, str]) -> Path:
    """The path of the person's own settings file on this platform, or the one that CTXKIT_CONFIG names."""
    return Path(environ.get('CTXKIT_CONFIG') or config_dir() / 'config.yaml')


def load(
    repository_file: Path | None,
    environ: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Resolve the settings. `flags` holds dotted keys (`units.top_k`). Raises CtxError naming a bad key.

    A `repository_file` in a linked folder is not read: it would belong to somebody else.
    """
    settings = Settings()
    person = user_config_file(environ)
    if environ.get('CTXKIT_CONFIG') and (not os.path.exists(person) or os.path.isdir(person)):
        raise CtxError(f'CTXKIT_CONFIG names {person}, which does not exist', 'correct or unset it')
    for file, trusted in ((person, True), (repository_file, False)):
        if file is not None and (trusted or not is_link(file.parent)):
            for key, value in _read(file, follow=trusted):
                settings = _set(settings, key, value, str(file), None if trusted else person)
    given = any(name.startswith('CTXKIT_') for name in environ)
    for section, name in keys() if given else ():
        variable = _variable(section, name)
        if variable in environ:
            settings = _set(settings, f'{section}.{name}', _scalar(environ[variable]), variable)
    for key, value in (flags or {}).items():
        settings = _set(settings, key, value, 'the command line')
    return settings


def keys() -> Iterator[tuple[str, str]]:
    """All (section, name) pairs of the schema."""
    for section in fields(Settings):
        for item in fields(_section_type(section.name)):
            yield section.name, item.name


def _variable(section: str, name: str) -> str:
    return f'CTXKIT_{section}_{name}'.upper()


def unknown_variables(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The CTXKIT_ variables of the environment that ctxkit does not know, each with `did you mean …?` or ''."""
    from fnmatch import fnmatchcase

    known = [*VARIABLES, *(_variable(section, name) for section, name in keys())]
    unknown = sorted(
        name for name in environ if name.startswith('CTXKIT_') and not any(fnmatchcase(name, one) for one in known)
    )
    return [(name, nearest(name, known)) for name in unknown]


def _section_type(name: str) -> Any:
    return type(getattr(Settings(), name))


def _scalar(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _read(file: Path, follow: bool) -> Iterator[tuple[str, Any]]:
    """The (dotted key, value) pairs of a YAML file; none if the file does not exist.

    With `follow`, the file may be a link: some people keep their settings in a repository. A clone's file may not.
    """
    if file.is_symlink() and not follow or not os.path.isfile(file):
        return
    import yaml

    try:
        with file.open('rb') as source:
            data = source.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise CtxError(f'{file} cannot be read ({error.strerror})', 'check its permissions') from error
    if len(data) > MAX_CONFIG_BYTES:
        raise CtxError(f'{file}: larger than 64 KB', 'remove everything that is not a setting')
    try:
        tree = yaml.safe_load(data)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise CtxError(f'{file}: not valid YAML ({_reason(error)})', 'correct or remove the file') from error
    if tree is None:
        return
    if not isinstance(tree, dict):
        raise CtxError(f'{file}: settings must be a mapping', 'write them as `section:` with `key: value` below it')
    for section, body in tree.items():
        if body is None:  # everything below it is commented out
            continue
        if not isinstance(body, dict):
            raise CtxError(f'{file}: {section}: expected a section with keys below it', 'see docs/configuration.md')
        for name, value in body.items():
            yield f'{section}.{name}', value


def _reason(error: Exception) -> str:
    """The YAML error as text, with the line number if it is known."""
    mark = getattr(error, 'problem_mark', None)
    said = str(getattr(error, 'problem', None) or error).splitlines()[0]
    return f'line {mark.line + 1}: {said}' if mark is not None else said


def _set(settings: Settings, key: str, value: Any, origin: str, person: Path | None = None) -> Settings:
    """A copy of `settings` with `key` set to `value`.

    `person` is given when `origin` is a repository's file: it names the file that may set everything.
    """
    section_name, _, name = key.partition('.')
    section: Any = getattr(settings, section_name, None)
    known = {item.name: item for item in fields(section)} if section is not None else {}
    if name not in known:
        names = [f'{one}.{other}' for one, other in keys()]
        meant = nearest(key, names)
        if not meant and 0 < len(known) <= MAX_NAMED:  # the section exists, but no key in it is similar
            meant = f'did you mean one of {", ".join(f"{section_name}.{other}" for other in known)}?'
        raise CtxError(f'{origin}: unknown key {key}', meant or 'remove it, or see docs/configuration.md for the keys')
    meta = known[name].metadata
    if person is not None and not meta['shared']:
        raise CtxError(f'{origin}: {key} cannot be set by a repository', f'set it in {person} instead')
    changed: Any = replace(section, **{name: _checked(key, value, known[name], origin)})
    return replace(settings, **{section_name: changed})


def _checked(key: str, value: Any, item: Any, origin: str) -> Any:
    default, meta = item.default, item.metadata
    wrong = CtxError(f'{origin}: {key}: {value!r} is not a {_type_name(default)}', f'the default is {default!r}')
    if isinstance(default, tuple):
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, (list, tuple)) or not all(isinstance(part, str) for part in value):
            raise wrong
        if key == 'slicing.languages':
            _known_languages(value, origin)
        return tuple(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(default, str) and value is False:
        value = 'off'  # YAML reads a bare `off` as false
    if isinstance(default, str) and value is True:
        value = 'on'
    if type(value) is not type(default):
        raise wrong
    if meta.get('among') and value not in meta['among']:
        raise CtxError(
            f'{origin}: {key}: {value!r} is not one of {", ".join(meta["among"])}', f'the default is {default!r}'
        )
    low, high = meta['low'], meta['high']
    if low is not None and not low <= value <= high:
        raise CtxError(f'{origin}: {key}: {value} is outside {low} to {high}', f'the default is {default!r}')
    return value


def _known_languages(names: Iterable[str], origin: str) -> None:
    for name in names:
        if name not in LANGUAGES:
            hint = nearest(name, LANGUAGES) or f'these are: {", ".join(LANGUAGES)}'
            raise CtxError(f'{origin}: slicing.languages: {name!r} is not a language that ctxkit knows', hint)


def _type_name(default: Any) -> str:
    return {int: 'whole number', float: 'number', bool: 'yes or no', str: 'text', tuple: 'list of texts'}[type(default)]


def environment() -> Mapping[str, str]:
    """The process environment; this is the only place that reads it."""
    return os.environ


def clock(environ: Mapping[str, str]) -> float:
    """The current time in epoch seconds; SOURCE_DATE_EPOCH fixes it, so that the same tree gives the same bytes.

    A date before 2000 is a build tool's default (nix-shell exports 1980) and not a person's wish, so it is ignored.
    """
    fixed = environ.get('SOURCE_DATE_EPOCH', '')
    return float(fixed) if fixed.isdecimal() and OLDEST < float(fixed) and is_time(float(fixed)) else time.time()
