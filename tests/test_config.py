"""Settings: five layers, one schema, and a repository that may set nothing but numbers, globs and languages."""

from __future__ import annotations

import os
import time
from dataclasses import FrozenInstanceError, asdict, fields, replace

import pytest
from helpers_main import run

from ctxkit import config
from ctxkit.errors import CtxError
from ctxkit.settings import Settings
from ctxkit.slicing import languages


@pytest.fixture
def layers(tmp_path):
    """`layers(person, repository, environ, flags)`: the settings that these four give."""

    def load(person='', repository='', environ=None, flags=None):
        (tmp_path / 'person.yaml').write_text(person)
        (tmp_path / 'repository.yaml').write_text(repository)
        return config.load(
            tmp_path / 'repository.yaml', {'CTXKIT_CONFIG': str(tmp_path / 'person.yaml'), **(environ or {})}, flags
        )

    return load


def test_without_any_file_the_defaults_hold(tmp_path):
    loaded = config.load(tmp_path / 'none.yaml', {'CTXKIT_CONFIG': os.devnull})
    assert asdict(loaded) == asdict(Settings())
    assert (Settings().budget.units, Settings().units.top_k) == (3600, 7)


def test_settings_cannot_be_changed_or_have_names_that_are_not_there():
    loaded = Settings()
    with pytest.raises(FrozenInstanceError):
        loaded.budget.units = 1
    with pytest.raises(TypeError, match='BudgetSettings has no unit'):
        replace(loaded.budget, unit=1)
    changed = replace(loaded, budget=replace(loaded.budget, units=1))
    assert (changed.budget.units, changed.budget.memory, loaded.budget.units) == (1, loaded.budget.memory, 3600)
    assert Settings().budget.units == 3600


def test_each_layer_wins_over_those_before(layers):
    person, repository = 'units:\n  top_k: 1\n', 'units:\n  top_k: 2\n'
    environ, flags = {'CTXKIT_UNITS_TOP_K': '3'}, {'units.top_k': 4}
    assert layers(person).units.top_k == 1
    assert layers(person, repository).units.top_k == 2
    assert layers(person, repository, environ).units.top_k == 3
    assert layers(person, repository, environ, flags).units.top_k == 4


PRIVATE = [
    f'{section}.{name}'
    for section, name in config.keys()
    if not next(item for item in fields(getattr(Settings(), section)) if item.name == name).metadata['shared']
]


@pytest.mark.parametrize('key', PRIVATE)
def test_repository_cannot_set_what_is_private(layers, key):
    section, _, name = key.partition('.')
    with pytest.raises(CtxError, match=f'{key} cannot be set by a repository'):
        layers(repository=f'{section}:\n  {name}: 1\n')


def test_what_a_repository_may_set_is_data_alone():
    """No command, address, path or switch: numbers, globs and names of languages."""
    for section in fields(Settings):
        for item in fields(getattr(Settings(), section.name)):
            if item.metadata['shared']:
                assert (
                    isinstance(item.default, int)
                    and item.metadata['high'] is not None
                    or f'{section.name}.{item.name}' in ('slicing.languages', 'slicing.exclude')
                ), item.name


def test_every_private_word_of_power_is_private():
    for section, name in config.keys():
        if any(word in name for word in ('command', 'url', 'endpoint', 'tokenizer', 'key', 'enabled', 'model', 'mode')):
            assert f'{section}.{name}' in PRIVATE


BAD = {
    'unknown section': ('nothing:\n  x: 1\n', 'nothing.x'),
    'unknown key': ('units:\n  nothing: 1\n', 'units.nothing'),
    'no section': ('top_k: 1\n', 'top_k'),
    'a list': ('- 1\n', 'mapping'),
    'not yaml': ('units: [\n', 'YAML'),
    'wrong type': ('units:\n  top_k: many\n', 'units.top_k'),
    'yes for a number': ('units:\n  top_k: yes\n', 'units.top_k'),
    'fraction for a number': ('units:\n  top_k: 1.5\n', 'units.top_k'),
    'too large': ('units:\n  top_k: 100000\n', 'units.top_k'),
    'negative': ('budget:\n  units: -1\n', 'budget.units'),
    'list of numbers': ('slicing:\n  exclude: [1]\n', 'slicing.exclude'),
    'python object': ('units: !!python/object/apply:os.system ["touch pwned"]\n', 'YAML'),
    'alias bomb': ('a: &a [x]\nunits:\n  top_k: *a\n', ''),
    'deep': ('[' * 20_000, 'YAML'),
    'large': ('# ' + 'x' * 70_000, '64 KB'),
}


@pytest.mark.parametrize('name', BAD)
@pytest.mark.parametrize('who', ['person', 'repository'])
def test_bad_file_is_one_line_that_names_the_key(layers, name, who):
    content, named = BAD[name]
    with pytest.raises(CtxError) as raised:
        layers(**{who: content})
    assert named in raised.value.format_message()
    assert f'{who}.yaml' in raised.value.format_message()
    assert '\n' not in raised.value.format_message()


def test_bad_yaml_names_the_line(layers):
    with pytest.raises(CtxError, match=r'not valid YAML \(line 3: '):
        layers('units:\n  top_k: 3\n top_k: 4\n')


@pytest.mark.parametrize('name', ['none.yaml', ''])
def test_persons_file_that_is_named_but_not_there_is_told(tmp_path, name):
    with pytest.raises(CtxError, match='CTXKIT_CONFIG names .*, which does not exist'):
        config.load(None, {'CTXKIT_CONFIG': str(tmp_path / name)})


@pytest.mark.parametrize('content', ['', '# only a comment\n', '---\n', 'null\n', 'units:\n#  top_k: 3\n'])
def test_empty_file_sets_nothing(layers, content):
    assert asdict(layers(repository=content)) == asdict(Settings())


def test_one_glob_needs_no_list(layers):
    assert layers(repository='slicing:\n  exclude: "*.gen.py"\n').slicing.exclude == ('*.gen.py',)


def test_a_repository_that_sets_what_is_private_is_told_where_that_belongs(layers, tmp_path):
    with pytest.raises(CtxError) as raised:
        layers(repository='model:\n  name: large\n')
    assert raised.value.hint == f'set it in {tmp_path / "person.yaml"} instead'


def test_a_name_that_a_section_does_not_have_gets_those_that_it_has(layers):
    with pytest.raises(CtxError) as raised:
        layers('budget:\n  total: 1\n')
    assert raised.value.hint.startswith('did you mean one of budget.environment, budget.session, ')


def test_language_that_is_none_is_named_with_what_was_probably_meant(layers):
    assert layers(repository='slicing:\n  languages: [python, markdown]\n').slicing.languages == ('python', 'markdown')
    with pytest.raises(CtxError, match="slicing.languages: 'pyton' is not") as raised:
        layers(repository='slicing:\n  languages: [go, pyton]\n')
    assert raised.value.format_message().endswith('did you mean python?')
    with pytest.raises(CtxError) as raised:
        layers('slicing:\n  languages: shell\n')
    assert 'bash' in raised.value.format_message()


def test_languages_of_the_settings_are_those_that_are_sliced():
    assert set(config.LANGUAGES) == {*languages.LANGUAGES, *languages.PAGES.values(), *languages.PROSE.values()}


def test_bad_variable_is_named(layers):
    with pytest.raises(CtxError, match='CTXKIT_UNITS_TOP_K'):
        layers(environ={'CTXKIT_UNITS_TOP_K': 'many'})


def test_off_and_on_are_words(layers):
    assert layers('web:\n  mode: off\n').web.mode == 'off'
    assert layers('web:\n  mode: on\n').web.mode == 'on'


def test_a_word_that_a_setting_does_not_know_is_told_with_those_it_does(layers):
    for key, known in (('web.mode', 'off, auto, on'), ('inject.prompts', 'off, first, all')):
        section, name = key.split('.')
        with pytest.raises(CtxError, match=f"{key}: 'sometimes' is not one of {known}"):
            layers(f'{section}:\n  {name}: sometimes\n')


def test_folder_of_a_repository_that_is_a_link_is_not_read(tmp_path):
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    (elsewhere / 'config.yaml').write_text('units: {top_k: 3}\n')
    os.symlink(elsewhere, tmp_path / '.ctx', target_is_directory=True)
    nobody = {'CTXKIT_CONFIG': os.devnull}
    assert config.load(elsewhere / 'config.yaml', nobody).units.top_k == 3
    assert config.load(tmp_path / '.ctx' / 'config.yaml', nobody).units.top_k == 7


def test_file_behind_a_link_is_not_read(tmp_path):
    (tmp_path / 'real.yaml').write_text('units:\n  top_k: 1\n')
    os.symlink(tmp_path / 'real.yaml', tmp_path / 'link.yaml')
    assert config.load(tmp_path / 'link.yaml', {'CTXKIT_CONFIG': os.devnull}).units.top_k == 7


@pytest.mark.parametrize('command', [['render'], ['update'], ['search', 'x']])
def test_bad_key_of_a_repository_stops_the_command_with_one_line(git_repo, command):
    root = git_repo({'a.py': 'x = 1\n', '.ctx/config.yaml': 'memories:\n  enabled: true\n'})
    done = run(root, *command)
    assert done.returncode == 1
    assert 'memories.enabled cannot be set by a repository' in done.stderr and done.stderr.count('\n') == 1


def test_settings_of_a_repository_take_effect(git_repo):
    root = git_repo(
        {f'm{number}.py': f'def f{number}():\n    return {number}\n' for number in range(3)}
        | {'.ctx/config.yaml': 'budget:\n  units: 400\n  session: 0\n'}
    )
    assert 'budget="1400"' in run(root, 'render').stdout


def test_a_persons_own_file_can_be_a_link_but_not_a_repositorys(tmp_path):
    real = tmp_path / 'dotfiles.yaml'
    real.write_text('units:\n  top_k: 3\n')
    link = tmp_path / 'config.yaml'
    link.symlink_to(real)
    assert config.load(None, {'CTXKIT_CONFIG': str(link)}).units.top_k == 3
    assert config.load(link, {'CTXKIT_CONFIG': os.devnull}).units.top_k == 7


@pytest.mark.parametrize('fixed', ['', 'now', '²', '-5', 'NaN', '9' * 20, '315532800'])
def test_a_clock_that_is_fixed_to_no_time_goes_on(fixed):
    assert abs(config.clock({'SOURCE_DATE_EPOCH': fixed}) - time.time()) < 5
