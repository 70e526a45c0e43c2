"""Can the bundled embeddings tell a rule said again from another rule? `python benchmarks/memory/meaning.py`.

Prints the cosine of pairs that say the same and of pairs that differ in their object, and the best accuracy that any
threshold reaches, beside that of the words which `ctxkit/memory/merge.py` goes by. It is why words decide there.
"""

from __future__ import annotations

import sys

from ctxkit import embedding
from ctxkit.memory.merge import _aligned
from ctxkit.memory.words import content

SAME = [
    ('Never commit generated files.', 'Generated files must not be committed.'),
    ('Always run the linter before you push.', 'Run lint before every push.'),
    ('We decided to use SQLite for the cache.', 'The cache is stored in SQLite.'),
    ('Log lines must carry a request id.', 'Every log line needs the request id.'),
    ('Keep functions under 50 lines.', 'Functions should not be longer than 50 lines.'),
    ('Tests live next to the code.', 'Put tests beside the code they test.'),
    ('Non modificare mai i file generati.', 'I file generati non vanno toccati.'),
    ('Branch names start with the ticket number.', 'Start branch names with the number of the ticket.'),
    ('We use tabs for indentation.', 'Indent with tabs.'),
]
OTHER = [
    ('Never commit generated files.', 'Never edit generated files.'),
    ('Always run the linter before you push.', 'Always run the tests before you push.'),
    ('We decided to use SQLite for the cache.', 'We decided to use SQLite for the queue.'),
    ('Log lines must carry a request id.', 'Log lines must carry a user id.'),
    ('Tests live next to the code.', 'Docs live next to the code.'),
    ('Branch names start with the ticket number.', 'Commit messages start with the ticket number.'),
    ('We use tabs for indentation.', 'We use tabs for alignment.'),
    ('Errors are raised as AppError.', 'Errors are logged as JSON.'),
]


def main() -> int:
    encoder = embedding.load('bundled')
    scores = []
    for same, pairs in ((True, SAME), (False, OTHER)):
        for a, b in pairs:
            left, right = encoder.encode([a, b])
            scores.append((float(left @ right), same))
            print(f'{"same " if same else "other"} {scores[-1][0]:.3f}  {a} | {b}')
    best = max(sum((score >= limit) == same for score, same in scores) for limit, _ in scores)
    lost = sum(score >= 0.9 for score, same in scores if not same)
    words = [
        (_aligned(content(a), content(b)), same) for same, pairs in ((True, SAME), (False, OTHER)) for a, b in pairs
    ]
    print(f'embeddings: best threshold right on {best} of {len(scores)}; at 0.90 {lost} other facts would be lost')
    print(
        f'words: right on {sum(found == same for found, same in words)} of {len(words)}, '
        f'{sum(found and not same for found, same in words)} other facts lost'
    )
    return 0


if __name__ == '__main__':
    sys.exit(main())
