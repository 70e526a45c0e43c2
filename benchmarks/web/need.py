"""How well `needs_web_search` decides: precision and recall on labelled requests in seven languages.

    python benchmarks/web/need.py             both parts, with the targets
    python benchmarks/web/need.py --errors    the tuning part only, with every wrong answer

The held part was written after the rules were fixed and is never used to change them. Earlier held parts that did lead
to a change became tuning.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from ctxkit.web.need import needs_web_search

HERE = Path(__file__).parent
PRECISION, RECALL = 0.95, 0.90


def main() -> int:
    """Print the figures; exit 1 below a target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--errors', action='store_true')
    show = parser.parse_args().errors
    good = True
    for part in ['tuning'] if show else ['tuning', 'held']:
        tally = defaultdict(int)
        by_language = defaultdict(lambda: [0, 0])
        for line in (HERE / f'prompts_{part}.txt').read_text(encoding='utf-8').splitlines():
            if line[:2] not in ('+ ', '- '):
                continue
            label, language, prompt = line.split(' ', 2)
            need = needs_web_search(prompt)
            tally[label == '+', need.needed] += 1
            by_language[language][0] += need.needed == (label == '+')
            by_language[language][1] += 1
            if show and need.needed != (label == '+'):
                print(f'WRONG {line}   ({need.reason})')
        found = tally[True, True]
        precision = found / max(1, found + tally[False, True])
        recall = found / max(1, found + tally[True, False])
        good &= precision >= PRECISION and recall >= RECALL
        print(
            f'{part}: {sum(tally.values())} requests, precision {precision:.3f} (target {PRECISION}), '
            f'recall {recall:.3f} (target {RECALL}); right by language: '
            + ', '.join(f'{name} {right}/{of}' for name, (right, of) in by_language.items())
        )
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
