"""Which definition a name of Rust means: by its modules, `use`s, crates, and the types that the code spells out."""

from __future__ import annotations

from time import process_time

import pytest

LIBRARY = """\
#[macro_use]
mod macros;
pub mod fs;
mod store;
pub use store::{Store, open as open_store};
"""
KEPT = """\
use std::sync::Arc;

pub trait Size {
    fn size(&self) -> u8;

    fn twice(&self) -> u8 {
        self.size() * 2
    }
}

pub struct Inner {
    n: u8,
}

impl Inner {
    pub fn close(&self) -> u8 {
        self.n
    }
}

pub struct Store {
    pub inner: Arc<Inner>,
}

impl Store {
    pub fn new() -> Self {
        make()
    }

    pub fn with(self, n: u8) -> Self {
        self
    }

    pub fn size(&self) -> u8 {
        1
    }

    pub fn finish(self) -> Result<Inner, u8> {
        Ok(*self.inner)
    }
}

impl Size for Store {
    fn size(&self) -> u8 {
        2
    }
}

pub fn open(n: u8) -> Option<Store> {
    None
}
"""
OTHER = """\
pub struct Store {
    n: u8,
}

impl Store {
    pub fn new() -> Self {
        todo()
    }

    pub fn with(self, n: u8) -> Self {
        self
    }

    pub fn close(&self) -> u8 {
        1
    }
}

pub fn read(n: u8) -> u8 {
    n
}
"""
CRATE = {
    'kit/Cargo.toml': '[package]\nauthors = ["A"]\nname = "tool-kit"\n',
    'kit/src/lib.rs': LIBRARY,
    'kit/src/macros.rs': '#[macro_export]\nmacro_rules! shout {\n    () => {\n        1\n    };\n}\n',
    'kit/src/fs.rs': 'pub fn read(n: u8) -> u8 {\n    n\n}\n\n'
    'pub mod deep {\n    pub fn read(n: u8) -> u8 {\n        super::read(n)\n    }\n}\n',
    'kit/src/store.rs': KEPT,
    'other/Cargo.toml': '[package]\nname = "other"\n',
    'other/src/lib.rs': OTHER,
    'app/Cargo.toml': '[package]\nname = "app"\n',
}
STORE, FS = 'kit/src/store.rs', 'kit/src/fs.rs'


def using(use, body, given='', before=''):
    main = f'{use}\n\n{before}\n\nfn run({given}) -> u8 {{\n    {body}\n}}\n'
    return {**CRATE, 'app/src/main.rs': main}


CALLS = [  # files, what `run` in app/src/main.rs calls, surely or not, or not at all (None)
    (using('use tool_kit::fs;', 'fs::read(1)'), (FS, 'read'), True),
    (using('use tool_kit::fs::deep::read as r;', 'r(1)'), (FS, 'deep.read'), True),
    (using('use tool_kit::fs::*;', 'deep::read(1)'), (FS, 'deep.read'), True),
    (using('use std::fs;', 'fs::read(1)'), (FS, 'read'), None),
    (using('use tool_kit::{self, fs::{self}};', 'tool_kit::open_store(1)'), (STORE, 'open'), True),
    (using('', 'tool_kit::shout!()'), ('kit/src/macros.rs', 'shout'), True),
    (using('use tool_kit::Store;', 'Store::new()'), (STORE, 'Store.new'), True),
    (using('use tool_kit::Store;', 's.with(1)', 's: &mut Store'), (STORE, 'Store.with'), True),
    (using('use tool_kit::Store;', 's.with(1)', 's: Box<Store>'), (STORE, 'Store.with'), True),
    (using('use other::Store;', 's.with(1)', 's: Store'), ('other/src/lib.rs', 'Store.with'), True),
    (using('use tool_kit::Store;', 'Store::new().with(1).with(2).size()'), (STORE, 'Store.size'), True),
    (using('use tool_kit::Store;', 'let s = Store::new().with(1);\n    s.inner.close()'), (STORE, 'Inner.close'), True),
    (using('use tool_kit::Store;', 'Store::new().finish()?.close()'), (STORE, 'Inner.close'), True),
    (
        using('use tool_kit::Store;', 'let s = Store::new();\n    for s in all() {\n        s.with(1);\n    }\n    1'),
        (STORE, 'Store.with'),
        False,
    ),
    (using('use tool_kit::open_store as o;', 'o(1).unwrap().with(1)'), (STORE, 'Store.with'), True),
    (using('use tool_kit::Store as Kept;', 'k.with(1)', 'k: Kept'), (STORE, 'Store.with'), True),
    (using('use tool_kit::Store;', 'k.with(1)', 'k: Kept', 'type Kept = Store;'), (STORE, 'Store.with'), True),
    (using('use tool_kit::fs::read;', 'let read = |n| n;\n    read(1)'), (FS, 'read'), False),
    (using('use tool_kit::fs::read;', 'for read in all() {\n        read(1);\n    }\n    1'), (FS, 'read'), False),
    (
        using('use tool_kit::fs::read;', 'if let Some(read) = one() {\n        return read(1);\n    }\n    1'),
        (FS, 'read'),
        False,
    ),
    (
        using('use tool_kit::fs::read;', 'match one() {\n        Some(read) => read(1),\n        _ => 1,\n    }'),
        (FS, 'read'),
        False,
    ),
    (using('use tool_kit::fs::read;', '// let us read it\n    read(1)'), (FS, 'read'), True),
    (using('', 'use tool_kit::fs::read;\n    read(1)'), (FS, 'read'), True),
    (using('', 'read(1)', '', 'fn other() {\n    use tool_kit::fs::read;\n    1\n}'), (FS, 'read'), False),
]


@pytest.mark.parametrize(('files', 'what', 'sure'), CALLS)
def test_a_call_means_what_the_path_or_the_type_leads_to(linked, files, what, sure):
    assert linked(files, 'app/src/main.rs', 'run').get(('calls', *what)) is sure


def test_a_module_is_in_the_file_that_its_path_attribute_names(linked):
    def told(before):
        names = 'a', 'other', 'third'
        files = {f'src/{name}.rs': 'pub fn go(n: u8) {}\n' for name in names}
        files |= {'Cargo.toml': '[package]\nname = "app"\n', 'src/lib.rs': before + 'fn run() {\n    a::go(1)\n}\n'}
        found = linked(files, 'src/lib.rs', 'run')
        return {name: found[link] for name in names if (link := ('calls', f'src/{name}.rs', 'go')) in found}

    assert told('mod a;\n\n') == {'a': True}
    assert told('#[path = "other.rs"]\nmod a;\n\n') == {'other': True}
    builds = '#[cfg(unix)]\n#[path = "other.rs"]\nmod a;\n#[cfg(windows)]\n#[path = "third.rs"]\nmod a;\n\n'
    assert told(builds) == {'other': False, 'third': False}
    assert told('#[cfg_attr(unix, path = "other.rs")]\nmod a;\n\n') == {}
    assert told('#[path = "../../other.rs"]\nmod a;\n\n') == {}


def test_a_method_of_the_type_itself_comes_before_that_of_a_trait(linked):
    body = {
        **CRATE,
        STORE: CRATE[STORE].replace(
            'fn open(n: u8) -> Option<Store> {', 'fn open(s: Store) -> Option<Store> {\n    s.size();'
        ),
    }
    found = linked(body, STORE, 'open')
    assert found[('calls', STORE, 'Store.size')] is True


def test_what_a_pointer_or_an_option_has_itself_is_no_sure_call_of_what_is_in_it(linked):
    here = 'app/src/main.rs'
    own = ''.join(f'    fn {name}(&self) -> u8 {{\n        1\n    }}\n\n' for name in ('clone', 'map', 'go'))
    files = {
        **CRATE,
        here: f'use std::sync::Arc;\n\nstruct In {{\n    n: u8,\n}}\n\nimpl In {{\n{own}}}\n\n'
        'struct Out {\n    i: Option<In>,\n}\n\n'
        'impl Out {\n    fn run(&self, a: Arc<In>) -> u8 {\n        self.i.map() + a.clone() + a.go()\n    }\n}\n',
    }
    found = linked(files, here, 'Out.run')
    assert found[('calls', here, 'In.map')] is False and found[('calls', here, 'In.clone')] is False
    assert found[('calls', here, 'In.go')] is True


def test_what_a_module_defines_comes_before_what_it_is_given_with_all_there_is(linked):
    files = using('use tool_kit::fs::*;', 'read(1)', '', 'fn read(n: u8) -> u8 {\n    n\n}')
    assert linked(files, 'app/src/main.rs', 'run')[('calls', 'app/src/main.rs', 'read')] is True


def test_a_trait_calls_its_own_methods_and_a_type_has_those_that_it_is_given(linked):
    assert ('calls', STORE, 'Size.size') in linked(CRATE, STORE, 'Size.twice')
    files = using('use tool_kit::Store;', 's.twice()', 's: Store')
    assert linked(files, 'app/src/main.rs', 'run')[('calls', STORE, 'Size.twice')] is True


def test_a_type_parameter_has_what_its_bounds_have(linked):
    here = 'app/src/main.rs'
    given = 'pub trait Go {\n    fn go(&self) -> u8;\n}\n\npub trait Other {\n    fn go(&self) -> u8;\n}\n\n'
    files = {**CRATE, here: f'{given}fn run<T>(t: &T) -> u8\nwhere\n    T: Go + Send,\n{{\n    t.go()\n}}\n'}
    found = linked(files, here, 'run')
    assert found.get(('calls', here, 'Go.go')) is True
    assert ('calls', here, 'Other.go') not in found


def test_what_a_module_of_tests_uses_is_not_seen_around_it(linked):
    here = 'app/src/main.rs'
    files = {
        **CRATE,
        here: 'fn run() -> u8 {\n    read(1)\n}\n\nmod tests {\n    use super::*;\n    use tool_kit::fs::read;\n\n'
        '    fn test() -> u8 {\n        run() + read(1)\n    }\n}\n',
    }
    assert linked(files, here, 'tests.test')[('calls', FS, 'read')] is True
    assert linked(files, here, 'tests.test')[('calls', here, 'run')] is True
    assert linked(files, here, 'run').get(('calls', FS, 'read')) is not True


def test_one_of_two_for_different_builds_is_a_guess(linked):
    here = 'app/src/main.rs'
    one = '#[cfg({})]\nfn speed(n: u8) -> u8 {{\n    n\n}}\n\n'
    files = {**CRATE, here: one.format('unix') + one.format('windows') + 'fn run() -> u8 {\n    speed(1)\n}\n'}
    assert True not in [sure for (relation, _, symbol), sure in linked(files, here, 'run').items() if symbol == 'speed']


def test_modules_that_pass_on_all_of_each_other_and_types_that_name_each_other_come_to_an_end(linked):
    names = [f'm{number}' for number in range(40)]
    stars = ''.join(f'pub use crate::{name}::*;\n' for name in names)
    files = {
        'Cargo.toml': '[package]\nname = "app"\n',
        **{f'src/{name}.rs': stars + f'pub fn only_{name}() -> u8 {{\n    1\n}}\n' for name in names},
        'src/lib.rs': ''.join(f'mod {name};\n' for name in names)
        + f'use {names[0]}::*;\n\ntype A = B;\ntype B = A;\n\n'
        'trait One: Two {}\n\ntrait Two: One {}\n\nfn run(a: A, t: impl One) -> u8 {\n'
        '    a.go();\n    t.go();\n    nowhere(1);\n    only_m39()\n}\n\nmod x {\n    fn go() {}\n}\n',
    }
    assert linked(files, 'src/lib.rs', 'run')[('calls', 'src/m39.rs', 'only_m39')] is True


NAMES = [f'T{number}' for number in range(14)]
SLOW = {  # what would take minutes if each way to a name were gone, each line read to the end of the file
    'traits that build on all others': {
        'src/lib.rs': 'struct S {}\n\n'
        + ''.join(f'trait {name}: {" + ".join(NAMES)} {{}}\n\nimpl {name} for S {{}}\n\n' for name in NAMES)
        + 'fn run(s: S) {\n    s.nowhere();\n    only(1)\n}\n\ntrait Other {\n    fn nowhere(&self);\n}\n'
    },
    'modules that are in each other': {
        'src/lib.rs': f'mod x;\nmod y;\nuse x::{"m::" * 20}S;\n\nfn run() {{\n    S::go();\n    only(1)\n}}\n',
        **{f'src/{name}.rs': 'pub mod m;\npub mod n;\n' for name in 'xy'},
        **{
            f'src/{one}/{name}.rs': f'pub use crate::{two}::m;\npub use crate::{one}::m;\n'
            f'pub use crate::{one}::n as m;\npub use crate::{two}::n as m;\npub struct S {{}}\n'
            for one, two in ('xy', 'yx')
            for name in 'mn'
        },
    },
    'uses that do not end': {
        'src/lib.rs': 'mod big;\nuse big::go;\n\nfn run() {\n    go();\n    only(1)\n}\n',
        'src/big.rs': 'fn other() {}\n\n' + 'use a\n' * 60_000,
    },
    'modules in a file that do not end': {
        'src/lib.rs': 'mod big;\n\nfn run() {\n    big::a::go();\n    only(1)\n}\n',
        'src/big.rs': 'fn other() {}\n\n' + 'mod a {\n' * 60_000,
    },
    'long words': {'src/lib.rs': 'fn run() {\n' + f'    a::go("{"b" * 4_900}");\n' * 80 + '    only(1)\n}\n'},
    'an enum and its variants': {
        'src/lib.rs': 'enum E {\n' + ''.join(f'    V{number}(u8),\n' for number in range(4_000)) + '}\n\nimpl E {\n'
        '    fn run(&self) {\n' + ''.join(f'        self.v{number}.go();\n' for number in range(4_000)) + '    }\n}\n\n'
        'fn run() {\n    only(1)\n}\n'
    },
}


@pytest.mark.parametrize('what', SLOW)
def test_code_that_would_be_read_again_and_again_comes_to_an_end_soon(linked, what):
    files = {'Cargo.toml': '[package]\nname = "app"\n', **SLOW[what]}
    files['src/lib.rs'] += '\nfn only(n: u8) {}\n'
    before = process_time()
    symbol = 'E.run' if 'enum' in what else 'run'
    found = linked(files, 'src/lib.rs', symbol)
    assert process_time() - before < 6
    assert symbol == 'E.run' or found[('calls', 'src/lib.rs', 'only')] is True
