"""Settings: defaults < the person's file < the repository's file (safe keys only) < environment < flags.

A clone is untrusted, so the repository's `.ctx/config.yaml` is closed-schema data: it can set only the fields marked
`shared()` below (numbers, globs, language names). Everything that runs a command, names a URL or opens a transcript
is `private()` and is read from the person's own file alone. Unknown keys are an error that names the key.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from ctxkit.errors import CtxError, nearest
from ctxkit.safety.paths import is_link

T = TypeVar('T')
MAX_CONFIG_BYTES = 64 * 1024
# What `slicing.languages` may name: the names that ctxkit.slicing gives to languages.
LANGUAGES = tuple(
    'python javascript typescript tsx go rust java c cpp csharp ruby php kotlin swift scala lua elixir bash '
    'markdown rst'.split(),
)
# Variables beside those that stand for a setting; the last four are of the GitHub Action and for commands we start.
VARIABLES = (
    'CTXKIT_CONFIG',
    'CTXKIT_DISABLE',
    'CTXKIT_INPUT_*',
    'CTXKIT_PYTHON',
    'CTXKIT_PUBLISH',
    'CTXKIT_MEMORY_CALL',
)


def shared(default: Any, doc: str, low: float | None = None, high: float | None = None) -> Any:
    """A field that a repository's own file may set; numbers are bounded by [low, high]."""
    return field(default=default, metadata={'shared': True, 'doc': doc, 'low': low, 'high': high})


def private(default: Any, doc: str, low: float | None = None, high: float | None = None) -> Any:
    """A field that only the person's own file, the environment or a flag may set."""
    return field(default=default, metadata={'shared': False, 'doc': doc, 'low': low, 'high': high})


class _Fixed:
    """A value whose class holds the defaults. As a frozen dataclass each section would generate its methods anew when
    it is imported, which took 4 ms of every command."""

    def __init__(self, **values: Any) -> None:
        """The defaults, with `values` in place of those that they name. Raises TypeError for a name that is none."""
        for name, value in values.items():
            if name not in type(self).__annotations__:
                raise TypeError(f'{type(self).__name__} has no {name}')
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f'cannot assign to {name}')


@dataclass(init=False, eq=False, repr=False)
class BudgetSettings(_Fixed):
    """Tokens of the block by section; `--budget` scales them."""

    environment: int = shared(300, 'tokens of the environment section', 0, 2000)
    session: int = shared(500, 'tokens of the session section', 0, 4000)
    memory: int = shared(400, 'tokens of the durable memory section', 0, 4000)
    web: int = shared(300, 'tokens of the web section', 0, 2000)
    units: int = shared(3600, 'tokens of the semantic units section', 0, 100_000)
    tokenizer: str = private('', 'path of a tokenizer.json for an exact count; empty: the built-in upper estimate')


@dataclass(init=False, eq=False, repr=False)
class UnitSettings(_Fixed):
    """How units are chosen."""

    top_k: int = shared(7, 'units that name what they call and what calls them; the rest are shown without', 0, 100)
    recent_minutes: int = shared(5, 'what changed within these minutes comes first', 0, 1440)
    keep_hours: int = shared(24, 'how long the stream keeps a unit', 1, 720)


@dataclass(init=False, eq=False, repr=False)
class SliceSettings(_Fixed):
    """What is read."""

    languages: tuple[str, ...] = shared((), 'languages to slice (python, csharp, markdown, ...); empty: all')
    exclude: tuple[str, ...] = shared((), 'path globs to leave out, beside .ctxignore')
    max_file_bytes: int = shared(1_000_000, 'larger files are skipped and listed by doctor', 1000, 50_000_000)


@dataclass(init=False, eq=False, repr=False)
class ModelSettings(_Fixed):
    """Which embedding model is used."""

    name: str = private('bundled', 'a model known to `ctxkit model list`')
    threads: int = private(1, 'threads of the encoder', 1, 64)


@dataclass(init=False, eq=False, repr=False)
class MemorySettings(_Fixed):
    """Durable memory; transcripts are read only if `enabled`."""

    enabled: bool = private(False, 'read the transcripts of coding agents')
    max_rollout_age_days: int = private(30, 'older sessions are not read', 0, 3650)
    min_rollout_idle_hours: int = private(12, 'sessions active more recently are left alone', 0, 8760)
    max_rollouts_per_startup: int = private(64, 'sessions read in one run', 1, 100_000)
    summary_injection_token_limit: int = private(5000, 'tokens of the summary', 100, 100_000)
    concurrency: int = private(2, 'processes that read transcripts at once', 1, 16)
    batch: int = private(32, 'conversations that are claimed at once', 1, 256)
    lease_seconds: int = private(300, 'how long a claim holds without a sign of life', 1, 86_400)
    retry_seconds: int = private(120, 'delay before failed work is tried again', 0, 86_400)
    max_seconds_per_run: int = private(300, 'no conversation is begun after this time', 1, 86_400)
    default_endpoint: str = private('', 'role default: base URL of an OpenAI-compatible endpoint; empty: no model')
    default_model: str = private('', "role default: the model's name at the endpoint")
    default_command: str = private(
        '', 'role default: a local command instead; prompt on its input, answer on its output'
    )
    smol_endpoint: str = private('', 'role smol (phase 2); empty: role default')
    smol_model: str = private('', "role smol: the model's name")
    smol_command: str = private('', 'role smol: a local command instead')
    api_key_variable: str = private('', 'name of the environment variable that holds the key of the endpoints')
    max_calls_per_run: int = private(8, 'model calls in one run', 0, 200)
    max_calls_per_day: int = private(40, 'model calls a day, in all repositories together', 0, 2000)
    max_input_tokens_per_call: int = private(8_000, 'longer conversations are cut for the model', 500, 200_000)
    max_input_tokens_per_run: int = private(64_000, 'tokens sent in one run', 0, 2_000_000)
    max_input_tokens_per_day: int = private(200_000, 'tokens sent a day, in all repositories together', 0, 20_000_000)
    max_model_seconds_per_call: int = private(60, 'a call that takes longer is given up', 1, 600)
    max_model_seconds_per_run: int = private(240, 'seconds of model calls in one run', 0, 3600)
    max_model_seconds_per_day: int = private(1800, 'seconds of model calls a day', 0, 86_400)


@dataclass(init=False, eq=False, repr=False)
class SessionSettings(_Fixed):
    """The message log."""

    unrelated_messages: int = private(4, 'unrelated messages in a row that end ephemeral context', 3, 5)
    ephemeral_tools: tuple[str, ...] = private((), 'globs of tools whose messages are ephemeral')
    permanent_tools: tuple[str, ...] = private((), 'globs of tools whose messages are never ephemeral by rule')
    keep_days: int = private(90, 'conversations idle for longer are deleted', 1, 3650)
    max_messages: int = private(200_000, 'messages kept in all; the oldest go first', 100, 10_000_000)


@dataclass(init=False, eq=False, repr=False)
class WebSettings(_Fixed):
    """The web section; off unless the person turns it on."""

    mode: str = private('off', 'off, auto (where the request needs it) or on (always)')
    provider: str = private('gemini', 'gemini, searxng or command')
    gemini_url: str = private('https://generativelanguage.googleapis.com', 'address of the Gemini API')
    gemini_model: str = private('gemini-2.5-flash', 'a Gemini model with Google Search grounding')
    gemini_key_variable: str = private('GEMINI_API_KEY', 'the environment variable that holds the key')
    searxng_url: str = private('', 'address of a SearXNG instance that answers format=json')
    command: tuple[str, ...] = private((), 'program and arguments; the query comes on standard input')
    timeout_seconds: float = private(4.0, 'a slower provider is left out', 0.1, 60)


@dataclass(init=False, eq=False, repr=False)
class StreamSettings(_Fixed):
    """Where units go besides the local file."""

    url: str = private('', 'redis://, rediss:// (TLS) or unix:// address; empty: the local file alone')
    username: str = private('', 'name to log in with; empty: the one in the address')
    password_variable: str = private('', 'name of the environment variable that holds the password')
    ca_file: str = private('', "certificates that a rediss:// server is checked against; empty: the system's")
    project: str = private('', 'name of the stream; empty: root commit and name of the repository')
    wait_seconds: float = private(0.05, 'how long an update may wait for the server before it goes on', 0.01, 5)
    max_length: int = private(100_000, 'units that a stream keeps at most', 100, 10_000_000)
    max_jobs: int = private(1_000, 'jobs that may wait for workers; who submits more waits', 1, 1_000_000)
    lease_seconds: float = private(30.0, 'a reader or worker silent for so long is taken for dead', 0.1, 3600)
    shared_days: int = private(30, 'how long the shared store keeps what nobody asks for', 1, 3650)


@dataclass(init=False, eq=False, repr=False)
class InjectSettings(_Fixed):
    """Stepping down, and the control group."""

    share: float = private(1.0, 'share of conversations that get the block', 0, 1)


@dataclass(init=False, eq=False, repr=False)
class Settings(_Fixed):
    """All settings, resolved."""

    budget: BudgetSettings = BudgetSettings()
    units: UnitSettings = UnitSettings()
    slicing: SliceSettings = SliceSettings()
    model: ModelSettings = ModelSettings()
    memories: MemorySettings = MemorySettings()
    session: SessionSettings = SessionSettings()
    web: WebSettings = WebSettings()
    stream: StreamSettings = StreamSettings()
    inject: InjectSettings = InjectSettings()


def user_config_file(environ: Mapping[str, str]) -> Path:
    """Where the person's own settings live on this platform; CTXKIT_CONFIG names another file."""
    return Path(environ.get('CTXKIT_CONFIG') or Path(click.get_app_dir('ctxkit'), 'config.yaml'))


def load(
    repository_file: Path | None,
    environ: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Resolve the settings. `flags` holds dotted keys (`units.top_k`). Raises CtxError naming a bad key.

    A repository's file is not read where its folder is a link: it would be somebody else's.
    """
    settings = Settings()
    person = user_config_file(environ)
    if environ.get('CTXKIT_CONFIG') and (not os.path.exists(person) or os.path.isdir(person)):
        raise CtxError(f'CTXKIT_CONFIG names {person}, where there is no file', 'correct or unset it')
    for file, trusted in ((person, True), (repository_file, False)):
        if file is not None and (trusted or not is_link(file.parent)):
            for key, value in _read(file, follow=trusted):
                settings = _set(settings, key, value, str(file), trusted)
    given = any(name.startswith('CTXKIT_') for name in environ)
    for section, name in keys() if given else ():
        variable = _variable(section, name)
        if variable in environ:
            settings = _set(settings, f'{section}.{name}', _scalar(environ[variable]), variable, True)
    for key, value in (flags or {}).items():
        settings = _set(settings, key, value, 'the command line', True)
    return settings


def keys() -> Iterator[tuple[str, str]]:
    """All (section, name) pairs of the schema."""
    for section in fields(Settings):
        for item in fields(_section_type(section.name)):
            yield section.name, item.name


def _variable(section: str, name: str) -> str:
    return f'CTXKIT_{section}_{name}'.upper()


def unknown_variables(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The CTXKIT_ variables of the environment that mean nothing, each with `did you mean …?` or ''."""
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
    """The (dotted key, value) pairs of a YAML file; nothing if the file is not there.

    A person's own file may be a link (`follow`), for those who keep their settings in a repository; a clone's not.
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
        raise CtxError(f'{file}: larger than 64 KB', 'settings are a few lines; remove what does not belong there')
    try:
        tree = yaml.safe_load(data)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise CtxError(f'{file}: not valid YAML ({_reason(error)})', 'correct or remove the file') from error
    if tree is None:
        return
    if not isinstance(tree, dict):
        raise CtxError(f'{file}: settings must be a mapping', 'write them as `section:` with `key: value` below it')
    for section, body in tree.items():
        if not isinstance(body, dict):
            raise CtxError(f'{file}: {section}: expected a section with keys below it', 'see docs/configuration.md')
        for name, value in body.items():
            yield f'{section}.{name}', value


def _reason(error: Exception) -> str:
    """What is wrong with YAML, and in which line where that is known."""
    mark = getattr(error, 'problem_mark', None)
    said = str(getattr(error, 'problem', None) or error).splitlines()[0]
    return f'line {mark.line + 1}: {said}' if mark is not None else said


def _set(settings: Settings, key: str, value: Any, origin: str, trusted: bool) -> Settings:
    section_name, _, name = key.partition('.')
    section: Any = getattr(settings, section_name, None)
    known = {item.name: item for item in fields(section)} if section is not None else {}
    if name not in known:
        meant = nearest(key, (f'{one}.{other}' for one, other in keys()))
        raise CtxError(f'{origin}: unknown key {key}', meant or 'remove it, or see docs/configuration.md for the names')
    meta = known[name].metadata
    if not trusted and not meta['shared']:
        raise CtxError(f'{origin}: {key} cannot be set by a repository', 'set it in your own settings instead')
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
    """The process environment: the one place where it is read."""
    return os.environ


def clock(environ: Mapping[str, str]) -> float:
    """Now in epoch seconds; SOURCE_DATE_EPOCH fixes it, so that the same tree gives the same bytes."""
    fixed = environ.get('SOURCE_DATE_EPOCH', '')
    return float(fixed) if fixed.isdigit() else time.time()
