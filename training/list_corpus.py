"""Write corpus.tsv: the dev and held-out rows of an older list, and every other permissive clone that judges nothing.

    list_corpus.py --clones DIR --old OLD.tsv

A clone is taken if the licence files at its root are permissive ones and nothing else, and if its name is not in
judges.txt. The commit is the clone's HEAD.
"""

# ruff: noqa: E402, E501, C901

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path

from corpus import LIST, clone_of, git

JUDGES = Path(__file__).parent / 'judges.txt'
KNOWN = [
    ('GPL', r'GNU (LESSER |AFFERO )?GENERAL PUBLIC LICENSE|\bGPL(v|-)?[23]'),
    ('MPL', r'Mozilla Public License'),
    ('BUSL', r'Business Source License'),
    ('EPL', r'Eclipse Public License'),
    ('SSPL', r'Server Side Public'),
    ('Apache-2.0', r'Apache License'),
    ('MIT', r'Permission is hereby granted, free of charge'),
    (
        'BSD-3-Clause',
        r'(?is)Redistribution and use in source and binary forms.*(Neither the name|may not be used to endorse)',
    ),
    ('BSD-2-Clause', r'Redistribution and use in source and binary forms'),
    ('ISC', r'Permission to use, copy, modify, and/?(or)? distribute'),
    ('Zlib', r"provided 'as-is', without any express"),
    ('BSL-1.0', r'Boost Software License'),
    ('Unlicense', r'free and unencumbered software'),
]
FORBIDDEN = {'GPL', 'MPL', 'BUSL', 'EPL', 'SSPL'}


def licence(text: str) -> str:
    """The licence that a licence file holds; '' if unknown."""
    return next((name for name, pattern in KNOWN if re.search(pattern, text[:9000])), '')


def licences(clone: Path) -> tuple[set[str], list[str]]:
    """(known licences, licence files) at the root of a clone's HEAD."""
    top = git(clone, 'ls-tree', '--name-only', 'HEAD').decode('utf-8', 'replace').splitlines()
    found = [f for f in top if re.match(r'(?i)(licen[cs]e|copying|mit-licen[cs]e)', f) and 'DEPEND' not in f.upper()]
    return {licence(git(clone, 'show', f'HEAD:{f}').decode('utf-8', 'replace')) for f in found} - {''}, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--clones', type=Path, required=True)
    parser.add_argument('--old', type=Path, required=True)
    args = parser.parse_args()
    judges = {line.strip().lower() for line in JUDGES.read_text().splitlines() if line.strip() and line[0] != '#'}
    rows = []
    with args.old.open(encoding='utf-8') as stream:
        for old in csv.reader(stream, delimiter='\t'):
            split = {'dev': 'dev', 'hel': 'held'}.get(old[0][:3])
            if split:
                rows.append([split, old[1], old[2], old[3], old[4], old[5]])
    held = {row[1].lower() for row in rows}
    for folder in sorted(args.clones.iterdir()):
        name = folder.name.replace('+', '/', 1)
        if '+' not in folder.name or {name.lower(), name.split('/')[1].lower()} & judges or name.lower() in held:
            continue
        clone = clone_of(args.clones, name)
        kinds, found = licences(clone)
        if not kinds or (kinds & FORBIDDEN):
            print('left out:', name, sorted(kinds), found)
            continue
        commit = git(clone, 'rev-parse', 'HEAD').decode().strip()
        rows.append(['train', name, commit, ' OR/AND '.join(sorted(kinds)), ','.join(found), ''])
    with LIST.open('w', newline='', encoding='utf-8') as stream:
        writer = csv.writer(stream, delimiter='\t', lineterminator='\n')
        writer.writerow(['split', 'repository', 'commit', 'licence', 'licence files', 'main language'])
        writer.writerows(sorted(rows, key=lambda row: (row[0], row[1].lower())))
    print(len(rows), 'repositories,', sum(row[0] == 'train' for row in rows), 'to train on')


if __name__ == '__main__':
    main()
