"""What a path says of its file, by the layouts of the ecosystems."""

from __future__ import annotations

import pytest

from ctxkit.index.path_classes import path_kind


@pytest.mark.parametrize(
    ('path', 'kind'),
    [
        ('Tests/AppTests/Certificates.swift', 'test'),
        ('src/App.UnitTests/Fakes/Clock.cs', 'test'),
        ('lib/src/commonTest/kotlin/app/Fake.kt', 'test'),
        ('app/src/androidTest/java/app/Fake.java', 'test'),
        ('pack/__mocks__/fs.ts', 'test'),
        ('Examples/Hello/main.swift', 'example'),
        ('Benchmarks/Parse/main.swift', 'benchmark'),
        ('Docs/conf.py', 'doc'),
        ('src/contest/entry.py', ''),
        ('lib/Contests/entry.rb', ''),
        ('src/latest/main.go', ''),
        ('Sources/AppTesting/Client.swift', ''),
    ],
)
def test_folders_of_tests_and_examples_are_known_in_capitals_and_as_source_sets(path, kind):
    assert path_kind(path) == kind
