"""A stand-in for the APIs of model vendors on loopback: answers every prompt with one line and keeps each request.

Speaks OpenAI chat completions and responses, Anthropic messages and Gemini generateContent, streamed or not, as far as
the coding agents' own clients need it to finish a turn.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = 'The function greet returns a greeting.'


@dataclass
class StandIn:
    """A running server: its port, and the (path, body) pairs that came in."""

    port: int
    requests: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def serve() -> Iterator[StandIn]:
    """Run the server on a free port of 127.0.0.1 while the block lasts."""
    stand_in = StandIn(0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def log_message(self, *args: Any) -> None:
            """No noise."""

        def do_GET(self) -> None:
            self._send('application/json', json.dumps({'object': 'list', 'data': [{'id': 'mock', 'object': 'model'}]}))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get('content-length') or 0)).decode('utf-8', 'replace')
            stand_in.requests.append((self.path, body))
            path = self.path.partition('?')[0]
            try:
                streamed = bool(json.loads(body or '{}').get('stream'))
            except ValueError:
                streamed = False
            if path.endswith('/responses'):
                self._events(responses_events())
            elif path.endswith('/messages'):
                self._events(messages_events()) if streamed else self._json(message_whole())
            elif path.endswith(':streamGenerateContent'):
                self._events([gemini_whole()])
            elif path.endswith(':generateContent'):
                self._json(gemini_whole())
            elif path.endswith('/chat/completions'):
                self._events(completion_events(), 'data: [DONE]\n\n') if streamed else self._json(completion_whole())
            else:
                self._json({'input_tokens': 1, 'totalTokens': 1})

        def _events(self, events: list[dict[str, Any]], tail: str = '') -> None:
            text = ''.join(
                (f'event: {event["type"]}\n' if 'type' in event else '') + f'data: {json.dumps(event)}\n\n'
                for event in events
            )
            self._send('text/event-stream', text + tail)

        def _json(self, data: dict[str, Any]) -> None:
            self._send('application/json', json.dumps(data))

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header('content-type', kind)
            self.send_header('content-length', str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    stand_in.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def responses_events() -> list[dict[str, Any]]:
    """OpenAI responses: one assistant message."""
    item = {
        'type': 'message',
        'id': 'msg_1',
        'role': 'assistant',
        'status': 'completed',
        'content': [{'type': 'output_text', 'text': ANSWER, 'annotations': []}],
    }
    usage = {'input_tokens': 1, 'output_tokens': 1, 'total_tokens': 2}
    first = {'output_index': 0}
    return [
        {'type': 'response.created', 'response': {'id': 'resp_1'}},
        {'type': 'response.output_item.added', **first, 'item': {**item, 'content': [], 'status': 'in_progress'}},
        {'type': 'response.output_text.delta', **first, 'item_id': 'msg_1', 'content_index': 0, 'delta': ANSWER},
        {'type': 'response.output_item.done', **first, 'item': item},
        {
            'type': 'response.completed',
            'response': {'id': 'resp_1', 'status': 'completed', 'output': [item], 'usage': usage},
        },
    ]


def message_whole() -> dict[str, Any]:
    """Anthropic messages, not streamed."""
    return {
        'id': 'msg_1',
        'type': 'message',
        'role': 'assistant',
        'model': 'mock',
        'stop_reason': 'end_turn',
        'stop_sequence': None,
        'content': [{'type': 'text', 'text': ANSWER}],
        'usage': {'input_tokens': 1, 'output_tokens': 1},
    }


def messages_events() -> list[dict[str, Any]]:
    """Anthropic messages, streamed."""
    return [
        {'type': 'message_start', 'message': {**message_whole(), 'content': [], 'stop_reason': None}},
        {'type': 'content_block_start', 'index': 0, 'content_block': {'type': 'text', 'text': ''}},
        {'type': 'content_block_delta', 'index': 0, 'delta': {'type': 'text_delta', 'text': ANSWER}},
        {'type': 'content_block_stop', 'index': 0},
        {
            'type': 'message_delta',
            'delta': {'stop_reason': 'end_turn', 'stop_sequence': None},
            'usage': {'output_tokens': 1},
        },
        {'type': 'message_stop'},
    ]


def completion_whole() -> dict[str, Any]:
    """OpenAI chat completions, not streamed."""
    return {
        'id': 'c1',
        'object': 'chat.completion',
        'created': 1,
        'model': 'mock',
        'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': ANSWER}, 'finish_reason': 'stop'}],
        'usage': {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2},
    }


def completion_events() -> list[dict[str, Any]]:
    """OpenAI chat completions, streamed."""
    chunk = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'mock'}
    return [
        {**chunk, 'choices': [{'index': 0, 'delta': {'role': 'assistant', 'content': ANSWER}, 'finish_reason': None}]},
        {
            **chunk,
            'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'stop'}],
            'usage': {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2},
        },
    ]


def gemini_whole() -> dict[str, Any]:
    """Gemini generateContent."""
    return {
        'candidates': [{'index': 0, 'finishReason': 'STOP', 'content': {'role': 'model', 'parts': [{'text': ANSWER}]}}],
        'usageMetadata': {'promptTokenCount': 1, 'candidatesTokenCount': 1, 'totalTokenCount': 2},
        'modelVersion': 'mock',
    }
