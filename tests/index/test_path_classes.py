"""What a path says of its file, by the layouts of the ecosystems."""

from __future__ import annotations

import pytest
from helpers_main import block, update

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
        ('t/t3415-rebase-autosquash.sh', 'test'),
        ('t/helper/test-hash.c', 'test'),
        ('lib/t/basic.t', 'test'),
        ('src/t/parse.c', ''),
        ('src/contest/entry.py', ''),
        ('lib/Contests/entry.rb', ''),
        ('src/latest/main.go', ''),
        ('Sources/AppTesting/Client.swift', ''),
    ],
)
def test_folders_of_tests_and_examples_are_known_in_capitals_and_as_source_sets(path, kind):
    assert path_kind(path) == kind


@pytest.mark.parametrize('path', ['priv/static/app.js', 'packages/core/lib/core.umd.js', 'lib/app.bundle.js'])
def test_what_a_build_made_is_not_the_projects_own_code(path):
    assert path_kind(path) == 'vendored'


@pytest.mark.parametrize(
    ('path', 'kind'),
    [
        ('db/migrate/20250818182728_add_tables.rb', 'migration'),
        ('hc/accounts/migrations/0001_initial.py', 'migration'),
        ('database/migrations/2015_12_07_195238_add_types.php', 'migration'),
        ('packages/prisma/migrations/20230101_init/migration.sql', 'migration'),
        ('src/main/resources/db/migration/V2__names.sql', 'migration'),
        ('src/App/Migrations/20200101000000_Initial.cs', 'migration'),
        ('alembic/versions/1975ea83b712_create_account.py', 'migration'),
        ('django/db/migrations/autodetector.py', ''),
        ('api/versions/v2/users.py', ''),
        ('lib/migrate/runner.rb', ''),
    ],
)
def test_numbered_migrations_are_known_and_the_code_that_runs_them_is_none(path, kind):
    assert path_kind(path) == kind


@pytest.mark.parametrize(('said', 'first'), [('email of a user', 'User.email'), ('migration of the email', '')])
def test_the_living_code_comes_before_the_migrations_that_led_to_it(git_repo, said, first):
    step = 'class AddEmailOfUser{0}\n  def change\n    add_column :user, :email, :string # of a user {0}\n  end\nend\n'
    files = {f'db/migrate/2024010100000{number}_add_email_of_user.rb': step.format(number) for number in range(5)}
    root = git_repo({**files, 'app/user.rb': 'class User\n  def email\n    read\n  end\nend\n'})
    update(root)
    units = block(root, query=said).units
    assert (units[0].symbol == first) if first else units[0].path.startswith('db/migrate/')
