"""How each coding agent's own client is installed and started against the stand-in, in a home folder of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Client:
    """A client: the package that brings it, its program, and `prepare(home, port, prompt)`.

    `prepare` writes the client's own settings below `home` and gives (arguments, environment).

    `way` is what must reach the model: 'block' (from a hook, cut to `limit`), 'file' (.ctx/context.xml as it is) or
    'pointer'; `turns` says whether its hooks report prompts and answers, `node` which Node it needs and `python` which
    Python 3.
    """

    name: str
    agent: str
    registry: str
    package: str
    program: str
    way: str
    limit: int
    turns: bool
    prepare: Callable[[Path, int, str], tuple[list[str], dict[str, str]]]
    node: int = 0
    python: int = 0


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, 'utf-8')


def claude_code(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Claude Code in its print mode; the folder counts as trusted there."""
    return ['-p', prompt], {
        'ANTHROPIC_BASE_URL': f'http://127.0.0.1:{port}',
        'ANTHROPIC_API_KEY': 'none',
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1',
        'DISABLE_AUTOUPDATER': '1',
    }


def codex(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Codex, one shot, with a provider of its own."""
    _write(
        home / '.codex/config.toml',
        'model = "mock"\nmodel_provider = "local"\n[model_providers.local]\n'
        f'name = "local"\nbase_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n',
    )
    return ['exec', '--skip-git-repo-check', prompt], {'LOCAL_KEY': 'none', 'CODEX_HOME': str(home / '.codex')}


def codex_with_hooks(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Codex where the person trusts the project and its hooks."""
    (command, *arguments), environment = codex(home, port, prompt)
    return [command, '--trust', '--dangerously-bypass-hook-trust', *arguments], environment


def gemini(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Gemini CLI, one shot, with an API key."""
    _write(
        home / '.gemini/settings.json',
        json.dumps(
            {
                'security': {'auth': {'selectedType': 'gemini-api-key'}, 'folderTrust': {'enabled': False}},
                'privacy': {'usageStatisticsEnabled': False},
                'telemetry': {'enabled': False},
                'general': {'disableAutoUpdate': True},
            }
        ),
    )
    return ['-m', 'gemini-2.5-flash', '-p', prompt], {
        'GEMINI_API_KEY': 'none',
        'GOOGLE_GEMINI_BASE_URL': f'http://127.0.0.1:{port}',
        'GEMINI_CLI_TRUST_WORKSPACE': 'true',
    }


def pi(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """pi in its print mode."""
    _write(
        home / '.pi/agent/models.json',
        json.dumps(
            {
                'providers': {
                    'local': {
                        'baseUrl': f'http://127.0.0.1:{port}/v1',
                        'api': 'openai-completions',
                        'apiKey': 'none',
                        'models': [{'id': 'mock'}],
                    }
                }
            }
        ),
    )
    return ['--provider', 'local', '--model', 'mock', '-p', prompt], {'PI_OFFLINE': '1'}


def pi_trusted(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """pi 1 where the person trusts the project."""
    arguments, environment = pi(home, port, prompt)
    return ['--approve', *arguments], environment


def qwen(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Qwen Code, one shot, with an OpenAI-compatible endpoint."""
    settings = {'security': {'auth': {'selectedType': 'openai'}}, 'privacy': {'usageStatisticsEnabled': False}}
    _write(home / '.qwen/settings.json', json.dumps(settings))
    return ['-m', 'mock', '-p', prompt], {
        'OPENAI_API_KEY': 'none',
        'OPENAI_BASE_URL': f'http://127.0.0.1:{port}/v1',
        'OPENAI_MODEL': 'mock',
    }


def copilot(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Copilot CLI, one shot, with a provider of the person's own and no account."""
    return ['-p', prompt, '--allow-all-tools'], {
        'COPILOT_PROVIDER_BASE_URL': f'http://127.0.0.1:{port}/v1',
        'COPILOT_PROVIDER_TYPE': 'openai',
        'COPILOT_PROVIDER_API_KEY': 'none',
        'COPILOT_MODEL': 'mock',
        'COPILOT_OFFLINE': 'true',
        'COPILOT_AUTO_UPDATE': 'false',
    }


def copilot_trusted(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Copilot CLI where the person trusts the folder."""
    arguments, environment = copilot(home, port, prompt)
    return ['--trust-folder', *arguments], environment


def continue_cli(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Continue's command line, one shot, with a local configuration."""
    model = {'name': 'mock', 'provider': 'openai', 'model': 'mock', 'apiKey': 'none', 'roles': ['chat']}
    model['apiBase'] = f'http://127.0.0.1:{port}/v1'
    # JSON is YAML, too
    _write(home / 'config.yaml', json.dumps({'name': 'local', 'version': '1.0.0', 'schema': 'v1', 'models': [model]}))
    return ['--config', str(home / 'config.yaml'), '-p', prompt], {'CONTINUE_TELEMETRY_ENABLED': '0'}


def opencode(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """opencode, one shot, with a provider of its own."""
    _write(home / '.config/opencode/opencode.json', _opencode_settings(port))
    return ['run', '--model', 'local/mock', prompt], _opencode_environment('OPENCODE')


def kilo(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Kilo Code's command line, one shot: it comes from opencode and takes the same settings."""
    _write(home / '.config/kilo/kilo.json', _opencode_settings(port))
    return ['run', '--model', 'local/mock', prompt], _opencode_environment('KILO')


def _opencode_settings(port: int) -> str:
    provider = {
        'npm': '@ai-sdk/openai-compatible',
        'name': 'local',
        'options': {'baseURL': f'http://127.0.0.1:{port}/v1', 'apiKey': 'none'},
        'models': {'mock': {'name': 'mock'}},
    }
    return json.dumps({'provider': {'local': provider}, 'autoupdate': False, 'share': 'disabled'})


def _opencode_environment(prefix: str) -> dict[str, str]:
    return {f'{prefix}_DISABLE_{name}': '1' for name in ('AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD')}


def aider(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """aider, one message."""
    return [
        '--model',
        'openai/mock',
        '--message',
        prompt,
        '--yes-always',
        '--no-check-update',
        '--no-show-model-warnings',
        '--no-analytics',
        '--no-auto-commits',
        '--no-gitignore',
        '--map-tokens',
        '0',
        '--no-show-release-notes',
    ], {
        'OPENAI_API_BASE': f'http://127.0.0.1:{port}/v1',
        'OPENAI_API_KEY': 'none',
        'LITELLM_LOCAL_MODEL_COST_MAP': 'True',
    }


def cline(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Cline's command line, one shot, with an OpenAI-compatible provider."""
    settings = {'provider': 'openai-compatible', 'apiKey': 'none', 'model': 'mock'}
    settings['baseUrl'] = f'http://127.0.0.1:{port}/v1'
    entry = {'settings': settings, 'updatedAt': '2026-01-01T00:00:00.000Z', 'tokenSource': 'manual'}
    whole = {'version': 1, 'lastUsedProvider': 'openai-compatible', 'providers': {'openai-compatible': entry}}
    _write(home / '.cline/data/settings/providers.json', json.dumps(whole))
    return ['-P', 'openai-compatible', '-m', 'mock', prompt], {}


def nanocoder(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """nanocoder, one shot, in a folder that the person trusts."""
    provider = {'name': 'local', 'baseUrl': f'http://127.0.0.1:{port}/v1', 'apiKey': 'none', 'models': ['mock']}
    folder = home / '.config/nanocoder'
    _write(folder / 'agents.config.json', json.dumps({'nanocoder': {'providers': [provider]}}))
    # the repository is beside the home folder (run.py)
    _write(folder / 'nanocoder-preferences.json', json.dumps({'trustedDirectories': [str(home.parent / 'shop')]}))
    return ['--provider', 'local', '--model', 'mock', 'run', prompt], {}


def gptme(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """gptme, not interactive, with a local model."""
    return ['--non-interactive', '-m', 'local/mock', prompt], {
        'OPENAI_BASE_URL': f'http://127.0.0.1:{port}/v1',
        'OPENAI_API_KEY': 'none',
    }


def vibe(home: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Mistral's Vibe, one shot, in a folder that the person trusts."""
    provider = {'name': 'local', 'api_base': f'http://127.0.0.1:{port}/v1', 'api_key_env_var': 'LOCAL_KEY'}
    model = {'name': 'mock', 'provider': 'local', 'alias': 'mock'}
    rows = 'active_model = "mock"\nenable_update_checks = false\nenable_telemetry = false\n'
    for table, values in (('providers', provider), ('models', model)):
        rows += f'[[{table}]]\n' + ''.join(f'{key} = "{value}"\n' for key, value in values.items())
    _write(home / '.vibe/config.toml', rows)
    return ['--trust', '-p', prompt], {'LOCAL_KEY': 'none'}


CLIENTS = (
    Client(
        'claude-code', 'claude-code', 'npm', '@anthropic-ai/claude-code', 'claude', 'block', 9000, True, claude_code
    ),
    Client('codex', 'codex', 'npm', '@openai/codex', 'codex', 'pointer', 32_768, False, codex),
    Client('codex-trusted', 'codex', 'npm', '@openai/codex', 'codex', 'block', 9000, True, codex_with_hooks),
    Client('gemini', 'gemini', 'npm', '@google/gemini-cli', 'gemini', 'file', 60_000, True, gemini),
    Client('qwen', 'qwen', 'npm', '@qwen-code/qwen-code', 'qwen', 'file', 60_000, True, qwen),
    Client('pi', 'pi', 'npm', '@earendil-works/pi-coding-agent', 'pi', 'pointer', 9000, False, pi, 22),
    Client('pi-trusted', 'pi', 'npm', '@earendil-works/pi-coding-agent', 'pi', 'block', 9000, True, pi_trusted, 22),
    Client('opencode', 'opencode', 'npm', 'opencode-ai', 'opencode', 'file', 60_000, False, opencode),
    Client('kilo', 'kilo', 'npm', '@kilocode/cli', 'kilo', 'file', 60_000, False, kilo),
    Client('aider', 'aider', 'pypi', 'aider-chat', 'aider', 'file', 60_000, False, aider),
    Client('copilot', 'copilot', 'npm', '@github/copilot', 'copilot', 'pointer', 9000, False, copilot),
    Client('copilot-trusted', 'copilot', 'npm', '@github/copilot', 'copilot', 'block', 9000, False, copilot_trusted),
    Client('continue', 'continue', 'npm', '@continuedev/cli', 'cn', 'pointer', 9000, False, continue_cli),
    Client('cline', 'agents-md', 'npm', 'cline', 'cline', 'pointer', 9000, False, cline),
    Client(
        'nanocoder', 'agents-md', 'npm', '@nanocollective/nanocoder', 'nanocoder', 'pointer', 9000, False, nanocoder, 22
    ),
    Client('gptme', 'agents-md', 'pypi', 'gptme', 'gptme', 'pointer', 9000, False, gptme),
    Client('vibe', 'agents-md', 'pypi', 'mistral-vibe', 'vibe', 'pointer', 9000, False, vibe, python=12),
)
