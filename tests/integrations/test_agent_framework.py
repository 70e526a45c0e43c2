"""The provider for Microsoft Agent Framework, with the framework's own agent and a client that keeps its messages."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('agent_framework', reason='needs the extra ctxkit[agent-framework]')

from agent_framework import Agent, BaseChatClient, ChatResponse, Message  # noqa: E402

from ctxkit import tokens  # noqa: E402
from ctxkit.integrations import agent_framework  # noqa: E402
from ctxkit.integrations.agent_framework import CtxContextProvider  # noqa: E402

pytestmark = pytest.mark.filterwarnings('ignore::Warning')  # the framework's own
FUNCTION = (
    'def part_{number}(order):\n    """Computes part {number} of the price of an order."""\n' + '    order += 1\n' * 30
)
FILES = {f'shop/part_{number}.py': FUNCTION.format(number=number) for number in range(30)}


class Client(BaseChatClient):  # type: ignore[type-arg]
    """Keeps the messages and options of each request."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, str]] = []
        self.instructions: Any = None

    async def _inner_get_response(self, *, messages: Any, stream: Any, options: Any, **kwargs: Any) -> ChatResponse:
        self.seen = [(str(getattr(message.role, 'value', message.role)), message.text) for message in messages]
        self.instructions = options.get('instructions')
        return ChatResponse(messages=[Message(role='assistant', contents=['`part_3` calls `made_up_thing`.'])])


def ready(root: Path, **options: Any) -> CtxContextProvider:
    """A provider that has warmed up."""
    provider = CtxContextProvider(root, **options)
    assert provider._running is not None
    provider._running.result(60)
    return provider


def ask(provider: CtxContextProvider, question: str = 'How is the price of an order computed?') -> Client:
    """One run of an agent with the provider."""
    client = Client()
    agent = Agent(client=client, context_providers=[provider], instructions='Be brief.')
    asyncio.run(agent.run(question))
    return client


@pytest.fixture
def shop(git_repo: Callable[..., Path]) -> Path:
    """A repository with more code than the budget."""
    return git_repo(FILES)


def test_units_come_as_one_user_message_before_the_request(shop: Path) -> None:
    client = ask(ready(shop, timeout=20))
    assert [role for role, _ in client.seen] == ['user', 'user']
    context, question = (text for _, text in client.seen)
    assert question == 'How is the price of an order computed?'
    assert context.startswith('Code of this repository') and 'def part_' in context
    assert context.count('\n---\n') <= 6
    assert tokens.count(context) <= 3600
    assert client.instructions == 'Be brief.'


def test_budget_and_number_of_units_are_kept(shop: Path) -> None:
    context = ask(ready(shop, timeout=20, budget=700, top_k=2)).seen[0][1]
    assert tokens.count(context) <= 700 and context.count('\n---\n') <= 1


def test_a_slow_search_lets_the_request_pass_untouched(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = ready(shop, timeout=0.05)
    monkeypatch.setattr(agent_framework, 'topical_units', lambda *_: time.sleep(1) or 'late')
    client = ask(provider)
    assert [text for _, text in client.seen] == ['How is the price of an order computed?']
    assert [text for _, text in ask(provider).seen] == ['How is the price of an order computed?']


def test_a_failing_search_lets_the_request_pass_untouched(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = ready(shop)
    monkeypatch.setattr(agent_framework, 'topical_units', lambda *_: 1 / 0)
    assert [role for role, _ in ask(provider).seen] == ['user']


def test_the_control_group_gets_nothing(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('CTXKIT_INJECT_SHARE', '0')
    assert [role for role, _ in ask(ready(shop, timeout=20)).seen] == ['user']


def test_answers_are_judged(shop: Path) -> None:
    ask(ready(shop, timeout=20))
    file, end = shop / '.git/ctxkit/feedback.jsonl', time.monotonic() + 20
    while '"answer"' not in file.read_text() and time.monotonic() < end:
        time.sleep(0.05)
    records = [json.loads(line) for line in file.read_text().splitlines()]
    judged = [record for record in records if record['kind'] == 'answer']
    assert [(record['names'], record['invented']) for record in judged] == [(2, 1)]


MEASURE = """
import asyncio, resource, sys
from agent_framework import Agent, BaseChatClient, ChatResponse, Message
class Client(BaseChatClient):
    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        return ChatResponse(messages=[Message(role='assistant', contents=['ok'])])
async def main():
    await Agent(client=Client()).run('hello')
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    from ctxkit.integrations.agent_framework import CtxContextProvider
    provider = CtxContextProvider(sys.argv[1], timeout=20)
    provider._running.result(60)
    for question in ('how is the price computed', 'what is part 7'):
        await Agent(client=Client(), context_providers=[provider]).run(question)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
if __name__ == '__main__':
    asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != 'linux', reason='ru_maxrss has other units elsewhere')
def test_it_adds_at_most_50_mb(shop: Path, tmp_path: Path) -> None:
    script = tmp_path / 'measure.py'
    script.write_text(MEASURE)
    done = subprocess.run([sys.executable, str(script), str(shop)], capture_output=True, text=True, check=True)
    assert float(done.stdout) <= 50
