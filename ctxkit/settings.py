"""The settings and their defaults, one class a section.

A clone is untrusted, so the repository's `.ctx/config.yaml` is closed-schema data: it can set only the fields marked
`shared()` below (numbers, globs, language names). Everything that runs a command, names a URL or opens a transcript is
`private()`: a repository's file cannot set it (`config.py`).
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

# The languages that `slicing.languages` may name, as ctxkit.slicing calls them.
LANGUAGES = tuple(
    'python javascript typescript tsx go rust java c cpp csharp ruby php kotlin swift scala lua elixir bash '
    'vue svelte markdown rst'.split(),
)


def shared(default: Any, doc: str, low: float | None = None, high: float | None = None) -> Any:
    """A field that a repository's own file may set; numbers are bounded by [low, high]."""
    return field(default=default, metadata={'shared': True, 'doc': doc, 'low': low, 'high': high})


def private(
    default: Any, doc: str, low: float | None = None, high: float | None = None, among: tuple[str, ...] = ()
) -> Any:
    """A field that only the person's own file, the environment or a flag may set; `among` lists its allowed words."""
    return field(default=default, metadata={'shared': False, 'doc': doc, 'low': low, 'high': high, 'among': among})


class _Fixed:
    """An immutable value whose class holds the defaults. A frozen dataclass would generate its methods anew at each
    import, which took 4 ms of every command for all sections together."""

    def __init__(self, **values: Any) -> None:
        """Take the defaults, with `values` in place of those they name. Raises TypeError for an unknown name."""
        for name, value in values.items():
            if name not in type(self).__annotations__:
                raise TypeError(f'{type(self).__name__} has no {name}')
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f'cannot assign to {name}')


@dataclass(init=False, eq=False, repr=False)
class BudgetSettings(_Fixed):
    """Token budgets of the block's sections; `--budget` scales them."""

    environment: int = shared(300, 'tokens of the environment section', 0, 2000)
    session: int = shared(500, 'tokens of the session section', 0, 4000)
    memory: int = shared(400, 'tokens of the durable memory section', 0, 4000)
    web: int = shared(300, 'tokens of the web section', 0, 2000)
    units: int = shared(3600, 'tokens of the semantic units section', 0, 100_000)
    tokenizer: str = private('', 'path of a tokenizer.json to count exactly; empty: the built-in upper estimate')


@dataclass(init=False, eq=False, repr=False)
class UnitSettings(_Fixed):
    """How units are chosen."""

    top_k: int = shared(7, 'how many units list their callers and callees; further units are shown without', 0, 100)
    recent_minutes: int = shared(5, 'units that changed within these minutes come first', 0, 1440)
    keep_hours: int = shared(24, 'how long the stream keeps a unit', 1, 720)


@dataclass(init=False, eq=False, repr=False)
class SliceSettings(_Fixed):
    """Which files are read."""

    languages: tuple[str, ...] = shared((), 'languages to slice (python, csharp, markdown, ...); empty: all')
    exclude: tuple[str, ...] = shared((), 'path globs to leave out, in addition to .ctxignore')
    max_file_bytes: int = shared(1_000_000, 'larger files are skipped, and listed by `ctxkit doctor`', 1000, 50_000_000)


@dataclass(init=False, eq=False, repr=False)
class ModelSettings(_Fixed):
    """Which embedding model is used."""

    name: str = private('bundled', 'a model that `ctxkit model list` shows')


@dataclass(init=False, eq=False, repr=False)
class MemorySettings(_Fixed):
    """Durable memory; transcripts are read only if `enabled`."""

    enabled: bool = private(False, 'read the transcripts of coding agents')
    max_rollout_age_days: int = private(30, 'older conversations are not read', 0, 3650)
    min_rollout_idle_hours: int = private(12, 'conversations active more recently are left alone', 0, 8760)
    max_rollouts_per_startup: int = private(64, 'conversations read in one background run', 1, 100_000)
    summary_injection_token_limit: int = private(5000, 'tokens of the summary', 100, 100_000)
    concurrency: int = private(2, 'processes that read transcripts at once', 1, 16)
    batch: int = private(32, 'conversations claimed at once', 1, 256)
    lease_seconds: int = private(300, 'how long the claim of a silent process holds', 1, 86_400)
    retry_seconds: int = private(120, 'delay before failed work is retried', 0, 86_400)
    max_seconds_per_run: int = private(300, 'after this time a run begins no further conversation', 1, 86_400)
    default_endpoint: str = private('', 'role default: base URL of an OpenAI-compatible endpoint; empty: no model')
    default_model: str = private('', "role default: the model's name at the endpoint")
    default_command: str = private(
        '', 'role default: a local command instead; it reads the prompt on standard input and prints the answer'
    )
    smol_endpoint: str = private('', 'role smol (phase 2); empty: role default')
    smol_model: str = private('', "role smol: the model's name")
    smol_command: str = private('', 'role smol: a local command instead')
    api_key_variable: str = private('', 'name of the environment variable that holds the key of the endpoints')
    max_calls_per_run: int = private(8, 'model calls in one run', 0, 200)
    max_calls_per_day: int = private(40, 'model calls a day, in all repositories together', 0, 2000)
    max_input_tokens_per_call: int = private(8_000, 'longer conversations are shortened for the model', 500, 200_000)
    max_input_tokens_per_run: int = private(64_000, 'tokens sent in one run', 0, 2_000_000)
    max_input_tokens_per_day: int = private(200_000, 'tokens sent a day, in all repositories together', 0, 20_000_000)
    max_model_seconds_per_call: int = private(60, 'a call that takes longer is cancelled', 1, 600)
    max_model_seconds_per_run: int = private(240, 'seconds of model calls in one run', 0, 3600)
    max_model_seconds_per_day: int = private(1800, 'seconds of model calls a day', 0, 86_400)


@dataclass(init=False, eq=False, repr=False)
class SessionSettings(_Fixed):
    """The message log."""

    unrelated_messages: int = private(4, 'this many unrelated messages in a row end ephemeral context', 3, 5)
    ephemeral_tools: tuple[str, ...] = private((), 'globs of tools whose messages are ephemeral unless flagged')
    permanent_tools: tuple[str, ...] = private((), 'globs of tools whose messages are permanent unless flagged')
    keep_days: int = private(90, 'conversations idle for longer are deleted', 1, 3650)
    max_messages: int = private(200_000, 'messages kept in total; the oldest are deleted first', 100, 10_000_000)


@dataclass(init=False, eq=False, repr=False)
class WebSettings(_Fixed):
    """The web section; off unless the person turns it on."""

    mode: str = private('off', 'off, auto (only if the request needs it) or on (always)', among=('off', 'auto', 'on'))
    provider: str = private('gemini', 'gemini, searxng or command', among=('gemini', 'searxng', 'command'))
    gemini_url: str = private('https://generativelanguage.googleapis.com', 'address of the Gemini API')
    gemini_model: str = private('gemini-2.5-flash', 'a Gemini model with Google Search grounding')
    gemini_key_variable: str = private('GEMINI_API_KEY', 'name of the environment variable that holds the key')
    searxng_url: str = private('', 'address of a SearXNG instance that allows format=json')
    command: tuple[str, ...] = private((), 'program and arguments; it reads the query on standard input')
    timeout_seconds: float = private(4.0, 'a provider that takes longer is left out', 0.1, 60)


@dataclass(init=False, eq=False, repr=False)
class StreamSettings(_Fixed):
    """Where units go besides the local file."""

    url: str = private('', 'redis://, rediss:// (TLS) or unix:// address; empty: only the local file')
    username: str = private('', 'user name at the server; empty: the one in the address')
    password_variable: str = private('', 'name of the environment variable that holds the password')
    ca_file: str = private('', "file of CA certificates for a rediss:// server; empty: the system's")
    project: str = private('', 'name of the stream; empty: root commit and name of the repository')
    wait_seconds: float = private(0.05, 'how long an update waits for the server before it goes on', 0.01, 5)
    max_length: int = private(100_000, 'at most this many units stay in the stream', 100, 10_000_000)
    max_jobs: int = private(
        1_000, 'at most this many jobs wait in the queue; `ctxkit worker submit` waits for room', 1, 1_000_000
    )
    lease_seconds: float = private(30.0, 'a reader or worker that is silent this long counts as dead', 0.1, 3600)
    shared_days: int = private(30, 'how long the shared store keeps content that nobody asks for', 1, 3650)


@dataclass(init=False, eq=False, repr=False)
class InjectSettings(_Fixed):
    """What agents' hooks inject: the share of conversations that get the block, and the code for prompts."""

    share: float = private(1.0, 'share of conversations that get the block', 0, 1)
    prompts: str = private(
        'first',
        'which prompts get the code that they are about: off (none), first (of a conversation) or all',
        among=('off', 'first', 'all'),
    )
    tokens: int = private(1500, 'at most this many tokens of code for a prompt', 200, 4000)
    seconds: float = private(
        1.0,
        'how long the hook may take to find the code for a prompt; agents themselves end a hook after 5 s',
        0.1,
        30,
    )


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
