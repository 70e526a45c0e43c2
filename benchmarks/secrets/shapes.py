"""Synthetic secrets and look-alikes, put together at run time: no token stands in this file as one piece.

Each shape is a line as it appears in a file or a terminal, and the part of it that must not survive.
"""

from __future__ import annotations

import random
import string

BASE62 = string.ascii_letters + string.digits
URLSAFE = BASE62 + '-_'
HEX = '0123456789abcdef'


def shapes(seed: int = 1) -> list[tuple[str, str, str]]:
    """(name, line, secret part) of every secret shape; other seeds give other random parts."""
    draw = random.Random(seed)

    def rnd(count: int, alphabet: str = BASE62) -> str:
        return ''.join(draw.choice(alphabet) for _ in range(count))

    def base64(count: int) -> str:
        return rnd(count, BASE62 + '+/')

    made: list[tuple[str, str, str]] = []

    def add(name: str, token: str, line: str = 'value = "{}"') -> None:
        made.append((name, line.format(token), token))

    add('github fine-grained', 'github' + '_pat_' + rnd(22) + '_' + rnd(59))
    for kind in 'pousr':
        add(f'github gh{kind}', f'gh{kind}' + '_' + rnd(36), 'echo {}')
    add('gitlab', 'gl' + 'pat-' + rnd(20, URLSAFE[:-2] + '_'), 'remote: {}')
    add('anthropic', 'sk' + '-ant-' + 'api03-' + rnd(93, URLSAFE) + 'AA', 'client = Anthropic("{}")')
    add('openai project', 'sk' + '-proj-' + rnd(48), 'OpenAI({!r})')
    add('openai service account', 'sk' + '-svcacct-' + rnd(48))
    add('openrouter', 'sk' + '-or-' + 'v1-' + rnd(64, HEX))
    add('openai old', 'sk' + '-' + rnd(48), '# was {} before')
    add('groq', 'gsk' + '_' + rnd(52))
    add('hugging face', 'hf' + '_' + rnd(34), 'login({!r})')
    add('xai', 'xai' + '-' + rnd(80))
    add('google api', 'AI' + 'za' + rnd(35, URLSAFE), 'https://maps.example/js?key={}')
    add('google oauth secret', 'GOC' + 'SPX-' + rnd(28, URLSAFE))
    add('google access', 'ya' + '29.' + rnd(120, URLSAFE))
    for kind in 'bp':
        add(
            f'slack xox{kind}',
            f'xox{kind}' + '-' + rnd(12, string.digits) + '-' + rnd(12, string.digits) + '-' + rnd(24),
        )
    add(
        'slack app',
        'xapp' + '-1-A' + rnd(10, string.digits + 'ABC') + '-' + rnd(13, string.digits) + '-' + rnd(64, HEX),
    )
    add(
        'slack webhook',
        'hooks.' + 'slack.com/services/T' + rnd(8, '0123456789AB') + '/B' + rnd(8, '0123456789AB') + '/' + rnd(24),
        'curl https://{}',
    )
    add('stripe secret', 'sk' + '_live_' + rnd(24), 'stripe.api_key = "{}"')
    add('stripe restricted', 'rk' + '_live_' + rnd(24))
    add('webhook secret', 'wh' + 'sec_' + rnd(32))
    add('npm', 'npm' + '_' + rnd(36), '//registry.example/:_authToken={}')
    add('pypi', 'pypi' + '-AgEIcHlwaS5vcmc' + rnd(140, URLSAFE))
    add('supabase', 'sbp' + '_' + rnd(40, HEX))
    add('digitalocean', 'dop' + '_v1_' + rnd(64, HEX))
    add('vault', 'hvs' + '.' + 'CAESI' + rnd(90, URLSAFE))
    add('linear', 'lin' + '_api_' + rnd(40))
    add('notion', 'ntn' + '_' + rnd(46))
    add('aws access key', 'AK' + 'IA' + rnd(16, string.ascii_uppercase + '234567'))
    add('aws temporary key', 'AS' + 'IA' + rnd(16, string.ascii_uppercase + '234567'))
    add('aws secret key', base64(40), 'aws_secret_access_key = {}')
    add('telegram bot', rnd(9, '123456789') + ':AA' + rnd(33, URLSAFE))
    add('age', 'AGE-SECRET' + '-KEY-1' + rnd(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'))
    add('jwt', 'ey' + 'J' + rnd(33, URLSAFE) + '.ey' + 'J' + rnd(90, URLSAFE) + '.' + rnd(43, URLSAFE))
    body = '\n'.join(base64(64) for _ in range(12)) + '\n' + base64(40) + '=='
    made.append(
        ('pem', '-----BEGIN RSA PRIVATE' + f' KEY-----\n{body}\n-----END RSA PRIVATE' + ' KEY-----', body[100:160])
    )
    add('bearer', rnd(32), 'Authorization: Bearer {}')
    add('basic', base64(26) + '==', "-H 'Authorization: Basic {}'")
    add('cookie', rnd(32, HEX), 'Cookie: theme=dark; session={}; lang=it')
    add('url password', rnd(14), 'postgres://app:{}@db.internal:5432/main')
    add('environment', rnd(20), 'export STRIPE_WEBHOOK_SECRET={}')
    add('password', 'Tr0ub4dor&' + rnd(3), 'DB_PASSWORD="{}"')
    add('api key', rnd(32, HEX), '"api_key": "{}"')
    add('curl user', rnd(12), 'curl -s -u admin:{} https://build.internal/')
    add('mysql', rnd(12), 'mysql -u root -p{} shop')
    add('sentence', 'hunter' + rnd(4, string.digits), 'the password is {}, tell nobody')
    add('assigned in a sentence', 'hunter2Super' + rnd(6), 'Never use the password={} in tests.')
    add('assigned at its end', 'hunter2Super' + rnd(6), 'The old db_password={}. Take another.')
    add('yaml password', 'S3cr3t' + rnd(6), 'password: {}')
    add('xml', rnd(24), '<apiKey>{}</apiKey>')
    add('plain word', 'correcthorsebattery', 'APP_PASSWORD={}')
    add('quoted word', 'orangutan', '"password": "{}"')
    add('option', 'S3cret' + rnd(2), 'mysqldump --user=app --password={} shop')
    add('netrc', 'pa55' + rnd(8), 'machine api.internal login app password {}')
    add('raw authorization', rnd(40), 'Authorization: {}')
    add('signed address', rnd(40) + '%2B' + '%3D', 'https://store.blob/x?sv=2024&sig={}')
    add('twilio', 'S' + 'K' + rnd(32, HEX))
    add('notion old', 'secret' + '_' + rnd(43))
    return made


def look_alikes(seed: int = 1) -> list[str]:
    """Lines without a secret that naive rules redact."""
    draw = random.Random(seed)

    def hexa(count: int) -> str:
        return ''.join(draw.choice(HEX) for _ in range(count))

    def uuid() -> str:
        return '-'.join(hexa(count) for count in (8, 4, 4, 4, 12))

    base64 = ''.join(draw.choice(BASE62 + '+/') for _ in range(86)) + '=='
    return [
        f'commit {hexa(40)}',
        f'Merge: {hexa(7)} {hexa(7)}',
        f'index {hexa(10)}..{hexa(10)} 100644',
        f'git checkout {hexa(40)}',
        f'"integrity": "sha512-{base64}"',
        f'sha256 = "{hexa(64)}"',
        f'    --hash=sha256:{hexa(64)} \\',
        f'checksum = "{hexa(64)}"',
        f'request_id = "{uuid()}"',
        f'id: {uuid()}',
        f'Message-ID: <{hexa(12)}.{hexa(8)}@mail.example>',
        f'"id": "msg_01{hexa(22)}"',
        f'image: registry.example/app@sha256:{hexa(64)}',
        f'ETag: "{hexa(32)}"',
        f'blob_id = "{hexa(40)}"',
        f'h1:{base64[:43]}=',
        'API_KEY=${API_KEY}',
        'token: ${{ secrets.GITHUB_TOKEN }}',
        'password: "{{ vault_password }}"',
        'Authorization: Bearer <token>',
        'Authorization: Bearer $TOKEN',
        'api_key = "your-api-key-here"',
        'API_KEY=your_api_key',
        'password = "changeme"',
        'DB_PASSWORD=""',
        "token = os.environ['GITHUB_TOKEN']",
        'api_key = os.getenv("OPENAI_API_KEY")',
        'const token = process.env.NPM_TOKEN2;',
        'secret = config.secrets.api_v2',
        'tokenizer_vocabulary_size = 50257000',
        'max_tokens=4096000',
        'token_type = "access_token_v2"',
        'password = getpass.getpass("Password 1: ")',
        'def check_password(password: str, hashed2: bytes) -> bool:',
        'token = tokens[index + 1]',
        'token: Token2Type',
        'the password is incorrect',
        'The password is required for login',
        'https://user:password@localhost/db',
        'postgres://user:${DB_PASSWORD}@localhost',
        'sk-learn-compatible-estimator-container-id-1',
        'class="sk-toggleable__content fitted"',
        'hf_model_name_or_path_to_checkpoint_2',
        'npm_config_registry_mirror_2024_location',
        'Bearer authentication is required by this route',
        'Cookie: theme=dark; lang=it',
        'xoxo-hugs-and-kisses-everybody',
        'AKIAlike = re.compile("AKIA[0-9A-Z]{16}")',
        "if '-----BEGIN PRIVATE KEY-----' in text or '-----END PRIVATE KEY-----' in text:",
        '-----BEGIN CERTIFICATE-----',
        'next_token = self.scanner.peek2()',
        'password_hash = "pbkdf2:sha256:150000"',
        'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
        'curl -u "$USER:$PASSWORD" https://x.example',
        'mysql -p shop2024',
        'secret_name: "prod/app/database-1"',
        'api_key: str = Field(default="", alias="X-API-Key")',
        'useTokenCounterInRangeOf2024Values()',
        'login(user, password=form_data1)',
        'connect(host, password=newPassword2 )',
        'if user.password == hunter2Super:',
        'a password=user_password2 from the form',
        'passwordField2 = page.locator("#password1")',
    ]
