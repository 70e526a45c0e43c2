"""What a name at one place can mean at another: blocks, properties and types of JavaScript, overloads of Java."""

from __future__ import annotations

import pytest


def calls(linked, files, path, symbol='main'):
    return {(file, name): sure for (said, file, name), sure in linked(files, path, symbol).items() if said == 'calls'}


def test_a_block_of_javascript_sees_its_own_definitions(linked):
    block = "it('goes', () => {{\n  class User {{\n    size() {{\n      return {0}\n    }}\n  }}\n"
    block += '  function make{0}() {{\n    return new User()\n  }}\n}})\n'
    files = {'a.test.js': block.format(1) + block.format(2) + 'function other() {\n  return new User()\n}\n'}
    assert calls(linked, files, 'a.test.js', 'make1') == {('a.test.js', 'User'): True}
    assert calls(linked, files, 'a.test.js', 'other') == {}


@pytest.mark.parametrize(
    'made',
    [
        'const kit = {\n  made() {\n    return 1\n  },\n}\n',
        'const kit = {\n  made: function () {\n    return 1\n  },\n}\n',
        'net.Socket.prototype.made = function () {\n  return 1\n}\n',
    ],
)
def test_a_property_of_javascript_needs_its_object(linked, made):
    files = {'a.js': f'{made}function main() {{\n  return made()\n}}\n'}
    assert calls(linked, files, 'a.js') == {}


@pytest.mark.parametrize('head', ['type Made = string\n', 'export interface Made {\n  size: number\n}\n'])
def test_a_type_of_typescript_cannot_be_called(linked, head):
    files = {'a.ts': f'{head}function main() {{\n  return new Made()\n}}\n'}
    assert calls(linked, files, 'a.ts') == {}
    files['b.ts'] = "import { Made } from './a'\nfunction main() {\n  return new Made()\n}\n"
    assert calls(linked, files, 'b.ts') == {}


@pytest.mark.parametrize('use', ['function main(made) {\n  return made()\n}\n', 'const [made] = pair\n{0}'])
def test_what_a_file_binds_itself_is_no_function_of_another_one(linked, use):
    main = 'function main() {\n  return made()\n}\n'
    files = {'a.js': 'export function made() {\n  return 1\n}\n', 'b.js': use.replace('{0}', main)}
    assert calls(linked, files, 'b.js') == {}
    alone = {'a.js': files['a.js'], 'c.js': main}  # names can be imported for a file unasked
    assert calls(linked, alone, 'c.js') == {('a.js', 'made'): False}


OVERLOADS = 'class Csv {\n  int parse(int a) { return 1; }\n  int parse(String a) { return 2; }\n'


@pytest.mark.parametrize('call', ['parse(1)', 'this.parse(1)'])
def test_of_several_methods_of_one_name_any_can_be_meant(linked, call):
    both = {'Csv.java': f'{OVERLOADS}  int main() {{ return {call}; }}\n}}\n'}
    assert linked(both, 'Csv.java', 'Csv.main') == {('calls', 'Csv.java', 'Csv.parse'): False}


def test_too_many_methods_of_one_name_are_none(linked):
    many = ''.join(f'  int parse({kind} a) {{ return 3; }}\n' for kind in ('long', 'char'))
    files = {'Csv.java': f'{OVERLOADS}{many}  int main() {{ return parse(1); }}\n}}\n'}
    assert linked(files, 'Csv.java', 'Csv.main') == {}


def test_a_call_of_a_class_is_one_of_each_constructor(linked):
    files = {
        'Csv.java': 'class Csv {\n  Csv(int a) { }\n  Csv(String a) { }\n'
        '  static Csv make() { return new Csv(1); }\n}\n',
        'Use.java': 'class Use {\n  Csv main() { return new Csv(1); }\n}\n',
    }
    assert linked(files, 'Csv.java', 'Csv.make').get(('calls', 'Csv.java', 'Csv')) is True
    assert linked(files, 'Use.java', 'Use.main').get(('calls', 'Csv.java', 'Csv')) is True
    assert linked(files, 'Csv.java', 'Csv.Csv').get(('called by', 'Use.java', 'Use.main')) is True


def test_a_variable_called_parent_is_not_the_object_itself(linked):
    files = {
        'A.java': 'class A extends B {\n  int size() { return 1; }\n'
        '  int main(C parent) { return parent.size(); }\n}\n',
        'B.java': 'class B {\n  int size() { return 3; }\n}\n',
        'C.java': 'class C {\n  int size() { return 2; }\n}\n',
    }
    assert not any(sure for (said, _, _), sure in linked(files, 'A.java', 'A.main').items() if said == 'calls')


def test_many_calls_within_a_large_file_of_javascript_are_linked_in_time(linked, quick):
    helpers = ''.join(f'function helper{at}(value) {{\n  return value\n}}\n' for at in range(3000))
    main = 'function main() {\n' + ''.join(f'  helper{at}(1)\n' for at in range(3000)) + '}\n'
    assert calls(linked, {'a.js': f'{helpers}{main}' + '//\n' * 200_000}, 'a.js')['a.js', 'helper7'] is True
