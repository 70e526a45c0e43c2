"""What two statements have in common: content words in any of the languages, and options that exclude each other."""

from __future__ import annotations

import functools
import re
import unicodedata

_WORD = re.compile(
    r'[a-zà-öø-ÿа-яё_][\wà-öø-ÿа-яё]*(?:[+#]+|(?:[./-]\w+)+)?|\d+(?:[.,]\d+)*'
    r'|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+'
)
_WIDE = re.compile('[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]')
_ENDINGS = re.compile(
    r'(?:ing|ed|es|s|en|er|e|a|i|o|y'
    r'|ами|ями|ов|ев|ам|ям|ах|ях|ой|ей|ый|ий|ую|ые|ие|ом|ем|а|я|ы|и|у|ю|е|о)\Z'
)

# Words that carry no topic, including words that say how strongly something is meant.
STOP = frozenset(
    """
a an and any are as at be been being but by can could do does doing done for from get had has have having here how i if
in into is it its itself let lets like me more most must my need needs no nor not now of off on once only or other our
ours out over own please really same shall should so some such than that the their theirs them then there these they
this those to too under until up us very was we were what when where which while who whom why will with would you your
yours always never use uses used using don doesn didn won isn aren ever prefer instead rather go going keep stick make
sure everything everywhere anything all each every just from ok okay yes actually decided decide decision agreed
want wants wanted switch switched convention rule project code new one thing things also still about
il lo la i gli le un uno una di del della dei degli delle da dal dalla in nel nella nei nelle con su sul sulla per
tra fra e ed o ma se che chi cui non si ci vi noi voi loro io tu lui lei è sono sia siamo usare usa usiamo uso usate
invece
sempre mai solo anche deciso abbiamo dobbiamo deve devono bisogna va vanno al allo alla ai agli alle come questo questa
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о
из ему для мы их всегда никогда используем использовать используй вместо будем надо нужно должны должен решили
der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen mit von zu zum zur im am
auf für ist sind wir ihr sie es ich du er bei nach aus statt anstatt immer nie niemals nur auch soll sollen sollte muss
müssen verwenden verwende verwendet benutzen nutzen nehmen haben entschieden werden wird als wie
el los las unos unas y u pero si no con por para sin sobre entre es son sea somos usar usa usamos usemos siempre nunca
solo también vez lugar hemos decidido debe deben hay que en de del al lo se nos este esta
le les du des et ou mais ne pas plus avec pour sans sur entre est sont soit nous vous ils elles on utiliser utilise
utilisons toujours jamais seulement aussi lieu avons décidé doit doivent il faut dans de au aux ce cette que qui
""".split()
)

# Groups of options: a project holds one of each group at a time for one purpose.
GROUPS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in """
npm yarn pnpm bun
pip poetry uv pipenv conda pdm rye
tabs spaces
postgres postgresql mysql mariadb sqlite mongodb mongo dynamodb duckdb
pytest unittest nose
jest vitest mocha ava
black yapf autopep8
ruff flake8 pylint
eslint biome tslint
react vue svelte angular
redux zustand mobx
rest graphql grpc
redis memcached
flask django fastapi starlette
express fastify koa
requests httpx aiohttp urllib3
axios fetch ky
gradle maven
make just ninja
camelcase snake_case kebab-case
merge rebase squash
yaml toml json
kafka rabbitmq nats
docker podman
argparse click typer
webpack vite rollup esbuild parcel
unix utc
kubernetes nomad swarm
terraform pulumi
""".strip().splitlines()
)


@functools.lru_cache(maxsize=20_000)
def content(text: str) -> frozenset[str]:
    """The content words of a text, lightly stemmed; CJK runs as pairs of characters."""
    out: set[str] = set()
    text = re.sub(r'\[REDACTED:[^\]]*\]', ' ', text)
    for word in _WORD.findall(unicodedata.normalize('NFKC', text).casefold()):
        if _WIDE.match(word):
            out.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif word not in STOP and (len(word) > 1 or word.isdigit()):
            out.add(stem(word))
    return frozenset(out)


def stem(word: str) -> str:
    """The word without its commonest endings; short words and words that contain marks stay whole."""
    if len(word) < 5 or not word.isalpha():
        return word
    if len(word) == 5 and word.endswith('es') and word[2] not in 'sxz':
        return word[:-1]  # `files` as `file`, which stays whole
    return _ENDINGS.sub('', word) if len(_ENDINGS.sub('', word)) >= 3 else word


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard similarity, 0 for two empty sets."""
    return len(a & b) / len(a | b) if a or b else 0.0


def exclusive(a: str, b: str) -> bool:
    """Whether two option texts name different members of one group of options that exclude each other."""
    left, right = _members(a), _members(b)
    return any((left & group) and (right & group) and not (left & right & group) for group in GROUPS)


@functools.lru_cache(maxsize=20_000)
def topics(text: str) -> frozenset[str]:
    """The content words, and a mark for each group of options that is named: what related statements share."""
    return content(text) | {f'group {number}' for number, group in enumerate(GROUPS) if _members(text) & group}


@functools.lru_cache(maxsize=20_000)
def _members(text: str) -> frozenset[str]:
    return frozenset(re.findall(r'[a-z][a-z0-9_-]*', text.casefold()))


@functools.lru_cache(maxsize=20_000)
def numbers(text: str) -> tuple[str, ...]:
    """The numbers of a text, in order."""
    return tuple(re.findall(r'\d+(?:[.,]\d+)*', text))
