r"""The tables of the secret filter: how tokens begin, and what surrounds secret values.

A new token form is one line in `PREFIX`. Patterns are matched where the anchor is found, are bounded, and never
backtrack over more than a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ctxkit.safety.secret_values import (
    is_assigned_secret,
    is_credential,
    is_not_placeholder,
    is_session_cookie,
    is_spoken_password,
    is_url_password,
)

WORD = r'[A-Za-z0-9]'
DASH = r'[A-Za-z0-9_-]'


class Prefix(NamedTuple):
    """A token recognized by its beginning.

    `before` says what must precede: None anything, '' a border, else a pattern whose group 1 belongs to the token.
    `random` requires digits and capitals, for prefixes that ordinary names have too. `near` is a literal that must
    follow soon, which saves trying the pattern.
    """

    name: str
    anchor: str
    pattern: str
    before: str | None = ''
    random: bool = False
    near: str = ''


class Context(NamedTuple):
    """A value recognized by its surroundings: `anchor` in lower case, the group `value` in `pattern`, and `line`:
    words, one of which must precede it on its line."""

    name: str
    anchor: str
    pattern: str
    accept: Callable[[str, re.Match[str]], bool]
    line: tuple[str, ...] = ()


_PEM_BODY = r'(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[nr]|["\'+,\\#*>|])*)'

PREFIX = (
    *(Prefix('github-token', f'gh{kind}_', rf'gh{kind}_{WORD}{{20,255}}', None) for kind in 'pousr'),
    Prefix('github-token', 'github_pat_', r'github_pat_\w{20,255}', None),
    Prefix('gitlab-token', 'glpat-', r'glpat-[\w.-]{16,255}', None),
    *(Prefix('gitlab-token', kind, rf'{kind}{DASH}{{20,255}}', '', True) for kind in ('gldt-', 'glrt-', 'glcbt-')),
    Prefix('api-key', 'sk-', rf'sk-(?:(?:ant|proj|svcacct|admin|or|lf)-{DASH}{{16,255}}|{WORD}{{20,128}})', ''),
    Prefix('api-key', 'gsk_', rf'gsk_{WORD}{{20,128}}'),
    Prefix('api-key', 'hf_', rf'hf_{WORD}{{20,128}}'),
    Prefix('api-key', 'xai-', rf'xai-{WORD}{{20,128}}'),
    Prefix('api-key', 'nvapi-', rf'nvapi-{DASH}{{30,128}}'),
    Prefix('api-key', 'pplx-', rf'pplx-{WORD}{{30,128}}'),
    Prefix('api-key', 'r8_', rf'r8_{WORD}{{30,64}}', '', True),
    Prefix('api-key', 'tvly-', rf'tvly-{DASH}{{20,128}}', '', True),
    Prefix('google-key', 'AIza', rf'AIza{DASH}{{30,64}}'),
    Prefix('google-secret', 'GOCSPX-', rf'GOCSPX-{DASH}{{16,64}}', None),
    Prefix('google-token', 'ya29.', rf'ya29\.{DASH}{{20,1024}}'),
    Prefix('slack-token', 'xox', r'xox[abeprs]-(?:\d-)?[A-Za-z0-9-]{10,255}'),
    Prefix('slack-token', 'xapp-', r'xapp-[A-Za-z0-9-]{20,255}'),
    Prefix('slack-webhook', 'hooks.slack.com/', r'hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,255}'),
    Prefix('discord-webhook', '/api/webhooks/', rf'/api/webhooks/\d{{15,22}}/{DASH}{{30,128}}', None),
    Prefix('api-key', 'sk_', rf'sk_(?:(?:live|test)_{WORD}{{16,255}}|[0-9a-f]{{40,64}}(?!\w))'),
    Prefix('stripe-key', 'rk_', rf'rk_(?:live|test)_{WORD}{{16,255}}'),
    Prefix('twilio-key', 'SK', r'SK[0-9a-f]{32}(?!\w)'),
    Prefix('mailgun-key', 'key-', r'key-[0-9a-f]{32}(?!\w)'),
    Prefix('databricks-token', 'dapi', r'dapi[0-9a-f]{32}(?:-\d)?(?!\w)'),
    Prefix('tailscale-key', 'tskey-', rf'tskey-[a-z]{{2,12}}-{DASH}{{20,128}}'),
    Prefix('langsmith-key', 'lsv2_', r'lsv2_(?:pt|sk)_[0-9a-f_]{32,64}'),
    Prefix('square-token', 'sq0', rf'sq0[a-z]{{3}}-{DASH}{{22,64}}'),
    Prefix('newrelic-key', 'NRAK-', r'NRAK-[0-9A-Z]{20,40}'),
    Prefix('doppler-token', 'dp.', rf'dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{WORD}{{40,44}}'),
    Prefix('notion-token', 'secret_', rf'secret_{WORD}{{43}}(?!\w)'),
    Prefix('webhook-secret', 'whsec_', r'whsec_[A-Za-z0-9+/=]{20,255}'),
    Prefix('npm-token', 'npm_', rf'npm_{WORD}{{30,64}}'),
    Prefix('pypi-token', 'pypi-', rf'pypi-{DASH}{{32,512}}', '', True),
    Prefix('rubygems-key', 'rubygems_', r'rubygems_[0-9a-f]{40,64}'),
    Prefix('docker-token', 'dckr_pat_', rf'dckr_pat_{DASH}{{20,64}}', None),
    Prefix('supabase-key', 'sbp_', r'sbp_[0-9A-Za-z]{30,64}'),
    Prefix('digitalocean-token', 'dop_v1_', r'dop_v1_[0-9A-Za-z]{32,128}', None),
    Prefix('vault-token', 'hvs.', rf'hvs\.{DASH}{{20,255}}', '', True),
    Prefix('linear-key', 'lin_api_', rf'lin_api_{WORD}{{20,64}}', None),
    Prefix('notion-token', 'ntn_', rf'ntn_{WORD}{{30,64}}'),
    Prefix('shopify-token', 'shp', r'shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}'),
    Prefix('sendgrid-key', 'SG.', rf'SG\.{DASH}{{16,32}}\.{DASH}{{32,64}}'),
    Prefix('grafana-token', 'glsa_', rf'glsa_{WORD}{{32}}_[0-9A-Fa-f]{{8}}'),
    Prefix('sentry-token', 'sntry', r'sntry[su]_[\w+/=-]{32,512}'),
    Prefix('atlassian-token', 'ATATT3', r'ATATT3[\w=-]{40,255}'),
    Prefix('figma-token', 'figd_', rf'figd_{DASH}{{30,64}}'),
    Prefix('postman-key', 'PMAK-', r'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'),
    Prefix('aws-key', 'AKIA', r'AKIA[0-9A-Z]{16}(?![0-9A-Za-z])'),
    Prefix('aws-key', 'ASIA', r'ASIA[0-9A-Z]{16}(?![0-9A-Za-z])'),
    Prefix('telegram-token', ':AA', rf':AA{DASH}{{30,36}}(?!{DASH})', r'(?<![0-9])([0-9]{8,10})$'),
    Prefix('age-key', 'AGE-SECRET-KEY-', r'AGE-SECRET-KEY-1?[0-9A-Za-z]{30,80}', None),
    Prefix('jwt', 'eyJ', rf'eyJ{DASH}{{8,600}}\.eyJ{DASH}{{8,8192}}(?:\.{DASH}{{0,2048}})?', near='.eyJ'),
    # With an end mark: all between the two marks if it contains base64. Without (cut off): the lines of base64 that
    # follow.
    Prefix(
        'private-key',
        '-----BEGIN ',
        r'-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:'
        r'(?=(?:[^-]|-(?!----)){0,400}?[A-Za-z0-9+/=]{32})(?:[^-]|-(?!----)){32,65536}-----END [A-Z0-9 ]{0,50}-----'
        rf'|(?:\s|\\[nr]|["\'+,\\#*>|])*{_PEM_BODY}{{1,1000}})',
        None,
    ),
)

# (word that names a secret, in lower case; what may directly follow it)
_NAMES = (
    ('passw', '(?:or)?d'),
    ('passphrase', ''),
    ('pwd', ''),
    ('secret', ''),
    ('token', ''),
    ('api_key', ''),
    ('api-key', ''),
    ('apikey', ''),
    ('access_key', ''),
    ('access-key', ''),
    ('accesskey', ''),
    ('private_key', ''),
    ('privatekey', ''),
    ('encryption_key', ''),
    ('signing_key', ''),
    ('auth_key', ''),
    ('accountkey', ''),
    ('credential', 's?'),
)
# The word, the rest of the name, its closing quote or bracket, an annotation, the sign, what leads to a quote on the
# next line, and the value: quoted (the quote may be escaped) or up to a space or mark.
_TO_QUOTE = (
    r'(?:\((?:[ \t]{0,4}(?:#|//)[^\n]{0,80}?)?|\\{0,2}\r?\n|\\{1,3}n)'
    r'(?:[(\s]|\\[nrt]){0,80}(?=[bruf@$]{0,2}\\{0,3}["\'`])'
)
_ASSIGN = (
    r'(?i:(?P<word>%s%s))(?P<tail>[A-Za-z0-9_-]{0,24})\\{0,3}["\'`]?\]?'
    r'(?:[ \t]{0,4}:[ \t]{0,4}(?:str|string|String|bytes|&str|char|Optional\[str\]|str \| None)(?=[ \t]{0,4}=))?'
    r'(?P<gap>[ \t]{0,16}(?:=>|:=|==|=|:|>)[ \t]{0,16}(?:%s)?|[ \t]{1,2}(?=[^\s=:]))(?:[bruf@$]{1,2}(?=["\']))?'
    r'(?P<quote>\\{0,3}["\'`])?(?P<value>(?(quote)[^"\'`\\\n]{6,512}|'
    r'[^\s"\'`<>(){}\[\],;|&\\=]{1,512}(?:=+[^\s"\'`<>(){}\[\],;|&\\=]{0,512})?))'
    r'(?(quote)(?=\\{0,3}["\'`]))'
)
_USER = r'["\']?[^\s:"\'@-][^\s:"\']{0,64}'
_Q = r'\\{0,3}["\'`]?'

CONTEXT = (
    *(Context('assigned-secret', word, _ASSIGN % (word, rest, _TO_QUOTE), is_assigned_secret) for word, rest in _NAMES),
    Context(
        'authorization',
        'authorization',
        r'(?i:authorization)\\{0,3}["\']?\]?[ \t]{0,4}[:=,][ \t]{0,4}'
        + _Q
        + r'(?P<scheme>(?i:bearer|basic|token|apikey|key)[ \t]+)?(?P<value>[\w.~+/=:-]{6,2048})',
        is_credential,
    ),
    Context(
        'authorization', 'bearer ', r'(?i:bearer) (?P<value>(?=[^\s]{0,200}[0-9])[\w.~+/=-]{16,2048})', is_credential
    ),
    Context(
        'signature',
        'sig=',
        r'(?i:sig)=(?P<value>(?=[^&\s]{0,200}[0-9])'
        r'(?:[A-Za-z0-9+/=]|%[0-9A-Fa-f]{2}){40,512})',
        is_not_placeholder,
    ),
    Context(
        'cookie',
        'cookie',
        r'(?i:cookies?)\\{0,3}["\']?[ \t]{0,4}[:=][ \t]{0,4}' + _Q + r'(?P<value>[\w.-]{1,64}=[^"\'\\\n\r<>]{8,4096})',
        is_session_cookie,
    ),
    Context(
        'url-password',
        '://',
        r'://(?P<user>[^\s/:@"\'<>\\`]{0,128}:)?(?P<value>(?(user)[^\s/"\'<>\\`]{3,256}|'
        r'(?P<alone>[A-Za-z0-9_-]{20,255})))@(?=[\w.\[-])',
        is_url_password,
    ),
    Context(
        'option-password',
        '-u',
        rf'-u(?:ser\b)?[ =]?{_USER}:(?P<value>[^\s"\'\\]{{3,256}})',
        is_not_placeholder,
        ('curl', 'wget'),
    ),
    Context(
        'option-password',
        ' -p',
        rf' -p{_Q}(?P<value>[^\s"\'\\-][^\s"\'\\]{{3,256}})',
        is_not_placeholder,
        ('mysql', 'mariadb', 'mongo'),
    ),
    Context(
        'option-password',
        ' -p ',
        rf' -p[ ]{{1,2}}{_Q}(?P<value>[^\s"\'\\-][^\s"\'\\]{{3,256}})',
        is_not_placeholder,
        ('sshpass', 'docker login'),
    ),
    Context(
        'spoken-password',
        'password',
        r'(?i:password)(?: for [\w@. -]{1,40}?)? (?:is|was|to)[ :]{1,3}' + _Q + r'(?P<value>[^\s"\'`\\<>]{5,128})',
        is_spoken_password,
    ),
    Context(
        'spoken-password',
        'passphrase',
        r'(?i:passphrase) (?:is|was)[ :]{1,3}' + _Q + r'(?P<value>[^\s"\'`\\<>]{5,128})',
        is_spoken_password,
    ),
)
