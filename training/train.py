"""Train the static embedding: token vectors, a weight by position, what neighbours say to each other.

    train.py --data DIR [DIR ...] --out model.npz [--from RUN.npz] [--steps 900] [--seed 0] [--threads 1] [--mix ...]

A text's vector is the sum over its distinct pieces of (sum of the weights of its occurrences) x count^(--repeat) x vector,
normalised. The loss is in-batch InfoNCE in both directions; long stretches of a batch are of one repository (--group),
so that negatives are hard.
Adam on the touched rows alone. Several data folders must share their tokenizer (`prepare.py --tokenizer`).
"""

# ruff: noqa: E402, E501, C901

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--data', type=Path, nargs='+', required=True)
parser.add_argument('--out', type=Path, required=True)
parser.add_argument('--steps', type=int, default=900)
parser.add_argument('--minutes', type=float, default=0, help='stop by the clock instead (then not reproducible)')
parser.add_argument('--seed', type=int, default=0)
parser.add_argument(
    '--start', type=int, help='seed of the first table: runs that share it can be averaged (default: --seed)'
)
parser.add_argument('--from', dest='origin', type=Path, help='go on from this run instead of a random table')
parser.add_argument('--threads', type=int, default=1)
parser.add_argument('--batch', type=int, default=2048)
parser.add_argument('--group', type=int, default=1024)
parser.add_argument('--dimension', type=int, default=256)
parser.add_argument('--rate', type=float, default=0.008)
parser.add_argument('--repeat', type=float, default=-0.4, help='power of the count of a piece, for each occurrence')
parser.add_argument('--decay', type=float, default=0.02)
parser.add_argument('--mix', default='doc=.70,title=.09,call=.08,near=.01,name=.02,message=.02,comment=.04,claim=.04')
args = parser.parse_args()
os.environ['OMP_NUM_THREADS'] = str(args.threads)

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402, N812

torch.set_num_threads(args.threads)
torch.manual_seed(args.seed if args.start is None else args.start)
rng = np.random.default_rng(args.seed)


def read(folders: list[Path]) -> dict[str, np.ndarray]:
    """The arrays of the data folders, one after another, with their row and repository numbers shifted."""
    sets = [dict(np.load(folder / 'pairs.npz')) for folder in folders]
    if len({(folder / 'tokenizer.json').read_bytes() for folder in folders}) > 1:
        raise SystemExit('the data folders have different tokenizers: prepare.py --tokenizer')
    rows = repositories = names = 0
    for one in sets:
        shift = {
            'call': rows,
            'near': rows,
            'message_row': rows,
            'comment_row': rows,
            'claim_row': rows,
            'repo': repositories,
            'name_key': names,
        }
        shift['commit_row'] = np.array([repositories, names], np.int32)
        rows += len(one['repo'])
        repositories += int(one['repo'].max()) + 1
        names += int(max(one['name_key'].max(), one['commit_row'][:, 1].max())) + 1
        for key, value in shift.items():
            one[key] = one[key] + value
    out = {}
    for key in sets[0]:
        if key.endswith('_offset'):
            ends = np.cumsum([0, *[int(one[key][-1]) for one in sets]])
            parts = [one[key][min(n, 1) :] + ends[n] for n, one in enumerate(sets)]
        else:
            parts = [np.atleast_1d(one[key]) for one in sets]
        out[key] = np.concatenate(parts)
    return out


P = read(args.data)
SIZE, CONTEXT, BUCKETS, LONGEST = int(P['vocabulary_size'][0]), 3, 56, 256
AROUND = [k for k in range(-CONTEXT, CONTEXT + 1) if k]


def bucket(position: np.ndarray) -> np.ndarray:
    """Positions below 32 each for itself, then eight a doubling."""
    far = 32 + np.floor(8 * np.log2(np.maximum(position, 1) / 32)).astype(np.int64)
    return np.where(position < 32, position, np.minimum(far, BUCKETS - 1)).astype(np.int64)


def flatten(kind: str, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The texts of a kind with CONTEXT pads between them: (flat, start of each, length of each)."""
    offset = P[kind + '_offset']
    length = np.minimum(np.diff(offset), limit)
    start = np.concatenate([[0], np.cumsum(length + CONTEXT)[:-1]]) + CONTEXT
    flat = np.zeros(int(length.sum() + CONTEXT * (len(length) + 2)), np.int32)
    row = np.repeat(np.arange(len(length)), length)
    inside = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    flat[start[row] + inside] = P[kind][offset[:-1][row] + inside]
    return flat, start, length


LIMITS = {
    'code': LONGEST,
    'doc': 64,
    'name': 16,
    'class': 8,
    'message': 40,
    'without': LONGEST,
    'comment': 48,
    'uncommented': LONGEST,
    'claim': 40,
    'title': 40,
    'before': LONGEST,
}
parts, places, base = [], {}, 0
for kind, limit in LIMITS.items():
    flat, start, length = flatten(kind, limit)
    parts.append(flat)
    places[kind] = (start + base, length)
    base += len(flat)
ALL = np.concatenate(parts)


def take(kind: str, rows: np.ndarray, limit: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(address, text number, position) of each piece of these texts."""
    start, length = places[kind]
    size = length[rows] if limit is None else np.minimum(length[rows], limit)
    row = np.repeat(np.arange(len(rows)), size)
    position = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return start[rows][row] + position, row, position


def thinned(text: tuple, count: int, most: float) -> tuple:
    """Drop pieces at a rate drawn for each text."""
    keep = rng.random(len(text[0])) >= (rng.random(count) * most)[text[1]]
    return tuple(part[keep] for part in text)


def nameless(text: tuple, rows: np.ndarray, chance: float) -> tuple:
    """Take the pieces of a definition's own name out of its text, in this share of the texts."""
    address, row, _ = take('name', rows)
    chosen = rng.random(len(rows)) < chance
    own = row.astype(np.int64) * SIZE + ALL[address]
    keep = ~(np.isin(text[1].astype(np.int64) * SIZE + ALL[text[0]], own) & chosen[text[1]])
    return tuple(part[keep] for part in text)


class Feed:
    """An endless permutation in which `group` entries in a row are of one repository, at most `cap` of each."""

    def __init__(self, repo: np.ndarray, cap: int) -> None:
        self.repo, self.cap, self.rest = repo, cap, np.zeros(0, np.int64)

    def take(self, wanted: int) -> np.ndarray:
        while len(self.rest) < wanted:
            order = rng.permutation(len(self.repo))
            order = order[np.argsort(self.repo[order], kind='stable')]
            edges = np.flatnonzero(np.diff(self.repo[order], prepend=-1, append=-2))
            blocks = [
                order[i : min(i + args.group, b, a + self.cap)]
                for a, b in zip(edges[:-1], edges[1:], strict=True)
                for i in range(a, min(b, a + self.cap), args.group)
            ]
            self.rest = np.concatenate([self.rest, *[blocks[i] for i in rng.permutation(len(blocks))]])
        out, self.rest = self.rest[:wanted], self.rest[wanted:]
        return out


length_of = {kind: places[kind][1] for kind in places}
documented = np.flatnonzero((length_of['doc'] > 0) & (length_of['code'] >= 8))
unnamed = np.flatnonzero((length_of['doc'] == 0) & (length_of['code'] >= 12) & (length_of['name'] >= 2) & ~P['test'])
repo = P['repo']
POOL = {
    'doc': documented,
    'name': unnamed,
    'call': P['call'],
    'near': P['near'],
    'message': P['message_row'],
    'title': P['commit_row'],
    'comment': P['comment_row'],
    'claim': P['claim_row'],
}
feeds = {
    'doc': Feed(repo[documented], 6000),
    'name': Feed(repo[unnamed], 4000),
    'call': Feed(repo[P['call'][:, 0]], 5000),
    'near': Feed(repo[P['near'][:, 0]], 3000),
    'message': Feed(repo[P['message_row']], 2000),
    'title': Feed(P['commit_row'][:, 0], 800),
    'comment': Feed(repo[P['comment_row']], 1500),
    'claim': Feed(repo[P['claim_row']], 1500),
}
# What is said in or about a definition: (what of it is the other side, the share of pieces left out at most).
SAID = {'message': ('without', 0.2), 'comment': ('uncommented', 0.14), 'claim': ('code', 0.12)}
mix = {k: float(v) for k, v in (item.split('=') for item in args.mix.split(','))}
shares = {kind: int(args.batch * share / sum(mix.values())) for kind, share in mix.items()}
shares['doc'] += args.batch - sum(shares.values())


def pairs(kind: str, count: int) -> tuple[tuple, tuple, np.ndarray, np.ndarray, np.ndarray]:
    """(query text, code text, query's id, code's id, code's name key) of `count` pairs of a kind."""
    rows = feeds[kind].take(count)
    if kind in ('call', 'near'):
        a, b = P[kind][rows, 0], P[kind][rows, 1]
        query = take('code', a)
        if kind == 'call':
            query = nameless(query, b, 0.6)
        return query, take('code', b), a, b, P['name_key'][b]
    if kind == 'title':
        code = take('before', rows)
        key = rows + len(repo)
        return thinned(take('title', rows), count, 0.12), code, key, key, P['commit_row'][rows, 1]
    if kind in SAID:
        code, most = SAID[kind]
        row = P[f'{kind}_row'][rows]
        text = take(code, row if code == 'code' else rows)
        return thinned(take(kind, rows), count, most), text, row, row, P['name_key'][row]
    row = POOL[kind][rows]
    code = take('code', row)
    if kind == 'doc':
        limit = np.where(rng.random(count) < 0.6, P['sentence'][row], length_of['doc'][row])
        query = thinned(take('doc', row, limit), count, 0.14)
        code = nameless(code, row, 0.3)
    else:
        query = take('name', row)
        code = nameless(code, row, 1.0)
    return query, code, row, row, P['name_key'][row]


E = torch.randn(SIZE, args.dimension) / np.sqrt(args.dimension)
E[:2] = 0
frequency = np.bincount(P['code'], minlength=SIZE) + np.bincount(P['doc'], minlength=SIZE) + 1.0
rarity = torch.tensor(1e-3 / (1e-3 + frequency / frequency.sum()), dtype=torch.float32)[:, None]
M1, M2, seen = torch.zeros_like(E), torch.zeros_like(E), torch.zeros(SIZE)
logit = torch.tensor(np.log(1 / 0.05), dtype=torch.float32).requires_grad_(True)
position_weight = torch.zeros(BUCKETS).requires_grad_(True)
around = [torch.zeros(SIZE).requires_grad_(True) for _ in AROUND]
if args.origin:
    origin = dict(np.load(args.origin))
    with torch.no_grad():
        E = torch.tensor(origin['table']) / rarity
        logit.fill_(float(origin['logit']))
        position_weight.copy_(torch.tensor(origin['position_weight']))
        for table, values in zip(around, origin['around'], strict=True):
            table.copy_(torch.tensor(values))
    E[:2] = 0
optimizer = torch.optim.Adam(
    [{'params': [logit], 'lr': 1e-3}, {'params': [position_weight], 'lr': 0.02}, {'params': around, 'lr': 0.01}]
)
first_rates = [group['lr'] for group in optimizer.param_groups]


def step(rate: float) -> float:
    """One batch; returns the loss."""
    queries, codes, query_ids, code_ids, keys, base = [], [], [], [], [], 0
    for kind, count in shares.items():
        if count <= 0:
            continue
        query, code, a, b, key = pairs(kind, count)
        queries.append((query[0], query[1] + base, query[2]))
        codes.append((code[0], code[1] + base, code[2]))
        query_ids.append(a)
        code_ids.append(b)
        keys.append(key)
        base += count
    address = np.concatenate([part[0] for part in queries + codes])
    row = np.concatenate([part[1] for part in queries] + [part[1] + base for part in codes]).astype(np.int64)
    position = np.concatenate([part[2] for part in queries + codes])
    order = np.argsort(row, kind='stable')
    address, row, position = address[order], row[order], position[order]
    ids = ALL[address].astype(np.int64)
    key = row * SIZE + ids
    unique, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    damp = (count.astype(np.float32) ** args.repeat)[inverse]
    used, local = np.unique(ids, return_inverse=True)
    used_t = torch.tensor(used)
    rows = E[used_t].requires_grad_(True)
    weight = position_weight[torch.tensor(bucket(position))]
    for k, table in zip(AROUND, around, strict=True):
        weight = weight + table[torch.tensor(ALL[address + k].astype(np.int64))]
    weight = torch.tensor(damp) * torch.exp(weight)
    offsets = torch.tensor(np.searchsorted(row, np.arange(2 * base)))
    vectors = F.embedding_bag(
        torch.tensor(local), rows * rarity[used_t], offsets, mode='sum', per_sample_weights=weight
    )
    vectors = F.normalize(vectors, dim=1, eps=1e-6)
    scores = vectors[:base] @ vectors[base:].T * logit.exp().clamp(max=60)
    a, b, k = (np.concatenate(part) for part in (query_ids, code_ids, keys))
    same = (k[:, None] == k[None]) | (a[:, None] == b[None]) | (b[:, None] == b[None])
    np.fill_diagonal(same, False)
    scores = scores.masked_fill(torch.from_numpy(same), -1e4)
    target = torch.arange(base)
    loss = 0.5 * (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target))
    optimizer.zero_grad()
    loss.backward()
    for group, first in zip(optimizer.param_groups, first_rates, strict=True):
        group['lr'] = first * rate
    optimizer.step()
    with torch.no_grad():
        gradient = rows.grad
        seen[used_t] += 1
        times = seen[used_t][:, None]
        M1[used_t] = m = M1[used_t] * 0.9 + gradient * 0.1
        M2[used_t] = v = M2[used_t] * 0.99 + gradient * gradient * 0.01
        change = (m / (1 - 0.9**times)) / ((v / (1 - 0.99**times)).sqrt() + 1e-8)
        E[used_t] = rows.detach() * (1 - args.rate * rate * args.decay) - args.rate * rate * change
    return float(loss.detach())


start, number, smooth = time.time(), 0, 0.0
while True:
    done = (time.time() - start) / (args.minutes * 60) if args.minutes else number / args.steps
    if done >= 1:
        break
    loss = step(min(1, done / 0.05 + 0.01) * max(0.02, 1 - done))
    smooth = loss if not number else 0.95 * smooth + 0.05 * loss
    number += 1
    if number in (3, 10) or number % 25 == 0:
        print(
            f'step {number} {time.time() - start:.0f} s loss {smooth:.3f} temperature {float(torch.exp(-logit.detach())):.4f}',
            flush=True,
        )
np.savez(
    args.out,
    table=(E * rarity).numpy(),
    logit=logit.detach().numpy(),
    position_weight=position_weight.detach().numpy(),
    position=position_weight.detach().numpy()[bucket(np.arange(512))],
    around=np.stack([t.detach().numpy() for t in around]),
    seen=seen.numpy(),
    frequency=frequency,
)
print(f'{number} steps, {time.time() - start:.0f} s, {vars(args)}')
