"""How long tree-sitter alone takes for what the index slices: `python -m benchmarks.main_job.parse REPOSITORY`.

One process, one core. The bytes are in memory before the clock starts, and nothing is done with the trees. Prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from ctxkit.index.scan import scan
from ctxkit.repo import blobs, find, resolve
from ctxkit.settings import SliceSettings
from ctxkit.slicing.guard import readable, unsliceable
from ctxkit.slicing.languages import LANGUAGES, grammar, language_in


def main(folder: Path) -> None:
    """Parse each file of HEAD that is in a language with a grammar, and print the seconds."""
    repo = find(folder)
    entries, _ = scan(repo, resolve(repo), SliceSettings())
    files = []
    for entry, (_, content) in zip(entries, blobs(repo, [entry.blob for entry in entries]), strict=True):
        source = readable(content or b'')
        language = language_in(entry.path, source)
        if source and language in LANGUAGES and not unsliceable(source, SliceSettings().max_file_bytes):
            files.append((language, source))
    parsers = {language: grammar(language).parser for language, _ in files}
    wall, processor = time.perf_counter(), time.process_time()
    for language, source in files:
        parsers[language].parse(source)
    print(
        json.dumps(
            {
                'files': len(files),
                'bytes': sum(len(source) for _, source in files),
                'seconds': time.perf_counter() - wall,
                'processor_seconds': time.process_time() - processor,
            }
        )
    )


if __name__ == '__main__':
    main(Path(sys.argv[1]))
