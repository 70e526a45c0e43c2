"""Tests whether a value in a secret's place is one: random, and not a placeholder, an expression or a word."""

from __future__ import annotations

import re
from functools import lru_cache

# Texts that show where a secret will be filled in.
TEMPLATE = ('${', '{{', '%(', 'example', 'placeholder', 'dummy', 'redacted', '...')
TO_FILL_IN = (
    r'(?:your|change|replace|insert|enter)[-_ ]?(?:me|this|your|own|real|here|secret|token|pass|api|key|client|access|'
    r'auth|db|user)|<[a-z_-]+>|[-_]here$'
)
STAND_IN = (
    r'fake[-_].*|(?:my|some|the|a|new|old|test|valid|invalid|wrong|bad|good|super)?[-_ ]?(?:secret|token|passw(?:or)?d|'
    r'pass|api[-_]?key|access[-_]?key|key|user|admin|root|guest|test|foo|bar|foobar|credentials?|value|string|none|null|'
    r'true|false|undefined|required|optional|incorrect|forgotten|disabled|plaintext|encrypted|username|'
    r'sensitive|protected|unchanged|mismatch|validate|database|manager|external|internal)[-_ ]?\d{0,3}|'
    r'([x*.#_-])\1{2,}.*|(.)\2*|…+'
)
PIECES = r'[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+'
# No word has so many consonants in a row; `strengths` is the exception.
CLUSTER = r'(?i:[bcdfghjklmnpqrstvwxz]{6}|[bcdfghjklmnpqrstvwxz]{5}(?<!ngths))'
# What follows the word in a name without a secret: `token_type`, `password_hash`, `tokenizer`.
NOT_A_VALUE = (
    r'(?:s?[-_]?(?:type|name|url|uri|id|ids|field|fields|count|size|path|file|filename|dir|len|length|limit|expir\w*|'
    r'header|prefix|suffix|regex|pattern|ttl|used|usage|endpoint|hint|policy|class|algorithm|algo|hash|hasher|format|'
    r'label|version|index|kind|lifetime|timeout|budget|line|lines|start|end|pos|offset|list|map|set|mask|spec|schema|'
    r'param|params|env|var|ref|source|scheme|realm|rules|mode|group|url\w*))$|^(?:s|iz\w*|ization|ised|ized)[-_a-z]*$'
)
EXPRESSION = (
    r'(?i)(?:os\.|process\.|env[.\[]|self\.|this\.|getenv|settings\.|config\.|secrets\.|vars\.|import\.|std::|system\.)'
    r'|[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+$'
)
# An AWS secret key; its slashes can make it look like a path.
FORTY = r'(?=.*[A-Z])(?=.*[a-z])(?=.*[/+0-9])[A-Za-z0-9/+]{40}'
STRONG = frozenset('!@#$%^&*+?~')
PLACES = ('./', '../', '~/', '--', '@', '#', '.')
USUAL_PASSWORDS = ('postgres', 'mysql', 'redis', 'rabbitmq', 'pw', 'pwd', 'p')


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile `pattern` on first use, because clean text needs none of them, and cache it."""
    return re.compile(pattern)


def is_placeholder(value: str) -> bool:
    """Whether the value only says that a secret belongs here: `${X}`, `<token>`, `your-key`, `changeme`, `xxxx`."""
    low = value.lower()
    return (
        low[:1] in '<$%{[('
        or any(mark in low for mark in TEMPLATE)
        or compiled(TO_FILL_IN).search(low) is not None
        or compiled(STAND_IN).fullmatch(low) is not None
    )


def is_wordy(value: str) -> bool:
    """Whether the value is words joined by marks or case, with a digit or two: an identifier, a file name."""
    words = letters = short = 0
    for piece in compiled(PIECES).findall(value[:512]):
        if piece[-1].isalpha():
            words += 1
            letters += len(piece)
            short += len(piece) < 3
        elif piece.isdigit():
            if len(piece) > 2:
                return False
            short += 1
        elif piece not in '-_./: ':
            return False
    if not words or letters < 3 * words or len(value) >= 16 and short > 2:
        return False
    return compiled(CLUSTER).search(value) is None


def digits(value: str) -> int:
    """How many digits the value has: 0, 1, or 2 for two and more."""
    return 2 if compiled('[0-9][^0-9]*[0-9]').search(value) else int(compiled('[0-9]').search(value) is not None)


def is_plausible(value: str, password: bool) -> bool:
    """Whether a value in a secret's place is one: random enough, and no placeholder, path, address or word."""
    count = digits(value)
    word = value.isascii() and value.isalpha() and value.islower()  # a password may be one; a token never is
    if password:
        likely = len(value) >= 6 and (count > 0 or not STRONG.isdisjoint(value) or len(value) >= (8 if word else 16))
    else:
        likely = count > 0 and len(value) >= 8 or len(value) >= 20 and value.isalnum()
    if not likely or value.isdigit() and not password or _is_place(value) or is_placeholder(value):
        return False
    if password:
        return word or not is_wordy(value) or count > 0 and (value.isalnum() or value != value.lower())
    return not is_wordy(value) or compiled(FORTY).fullmatch(value) is not None


def _is_place(value: str) -> bool:
    """Whether the value is a path, an address, an option or a colour: nothing random."""
    return '://' in value or value.startswith(PLACES) or value.startswith('/') and len(value) < 30


def is_assigned_secret(text: str, match: re.Match[str]) -> bool:
    """Accept the value of `NAME=value` in code, JSON, YAML, .env, XML, a query string or on a command line."""
    word, value, gap = match['word'], match['value'], match['gap']
    unquoted_code = not match['quote'] and (gap != '=' or word.islower())
    if unquoted_code and len(value) < 16 and not digits(value) and STRONG.isdisjoint(value):
        return False
    password = word.lower().startswith(('passw', 'pwd', 'passphrase', 'secret'))
    if compiled(NOT_A_VALUE).search(match['tail'].lower()):
        return False
    if match['quote'] or gap.strip() == '>':
        return ' ' not in value and is_plausible(value, password)
    after = text[match.end() : match.end() + 1]
    if compiled(EXPRESSION).match(value) or after in tuple('([{'):
        return False
    if gap == '=' and not word.islower():  # a shell's or .env file's NAME=value
        plain = not match['tail'] and len(value) >= 8 and value.isalnum() and value.islower()
        return is_plausible(value, password) or plain and not is_placeholder(value)
    before = text[max(0, match.start() - 60) : match.start()].rpartition('\n')[2]
    flag = before.rpartition(' ')[2].startswith('-')
    option = flag and gap in (' ', '=') or ' login ' in before
    if gap.isspace() and not option:
        return False
    stem = before.strip(' \t-').replace('_', '')
    whole_line = (not stem or stem.isalnum()) and (not after or after in '\r\n\\"\'')
    if password and (option or whole_line and (gap == '=' or ':' in gap)):
        return is_plausible(value, True)
    if password and gap == '=' and digits(value) and _in_prose(before, after):
        return is_plausible(value.rstrip('.,;:!?'), True)
    if compiled(FORTY).fullmatch(value):
        return True
    mixed = len(value) >= 24 and value != value.lower() and value != value.upper()
    return digits(value) >= (1 if mixed else 2) and is_plausible(value, False)


def _in_prose(before: str, after: str) -> bool:
    """Whether `name=value` between `before` and `after` stands alone, as in a sentence or on a command line. An
    argument in code has a bracket or a comma beside it."""
    head = compiled(r'[\w-]*$').sub('', before, count=1)
    return (
        head[-1:] in ('', ' ')
        and head.rstrip()[-1:] not in tuple(',([{|&=')
        and (not after or after in ' \r\n\\"\'.,;:!?')
    )


def is_spoken_password(text: str, match: re.Match[str]) -> bool:
    """Accept the value of `the password is ...`, but not of `the password is required`."""
    value = match['value'].rstrip('.,;:!?)')
    strong = digits(value) > 0 or not STRONG.isdisjoint(value) or text[match.start('value') - 1] in '"`'
    return len(value) >= 5 and strong and not is_placeholder(value)


def is_credential(text: str, match: re.Match[str]) -> bool:
    """Accept what follows `Authorization: Bearer`, but not `Bearer authentication`; without a scheme, only if long."""
    value = match['value']
    if match.groupdict().get('scheme', 'bearer') is None and len(value) < 20:
        return False
    word = value.isalpha() and (value.islower() or value.istitle() or value.isupper())
    return not word and not is_placeholder(value) and (value.endswith('=') or not is_wordy(value))


def is_url_password(text: str, match: re.Match[str]) -> bool:
    """Accept the password of `scheme://user:password@host`, or a token alone before the `@`."""
    value = match['value']
    if not match['user']:
        return match['alone'] is not None and digits(value) >= 2 and not is_wordy(value)
    return not is_placeholder(value) and value.lower() not in USUAL_PASSWORDS


def is_not_placeholder(text: str, match: re.Match[str]) -> bool:
    """Accept any value that is no placeholder, as where a command line takes a password."""
    return not is_placeholder(match['value'])


def is_session_cookie(text: str, match: re.Match[str]) -> bool:
    """Accept a cookie header in which at least one value could be a session."""
    values = [pair.partition('=')[2] for pair in match['value'].split(';')]
    return any(len(value) >= 8 and not is_placeholder(value) and not is_wordy(value) for value in values)
