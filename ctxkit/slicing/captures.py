"""Run a language's query on a file, and collect definitions and uses as byte ranges.

The captures of a `.scm` file:

    @function, @class   a definition; a function in a class becomes a method
    @scope              no definition, but its name is put before the names in it
    @declaration        a function without a body, whose text stays in its class
    @anonymous          a class without a name: functions in it are methods of what is around it
    @name               the name of a definition
    @owner              the type that a definition belongs to, if written elsewhere (`func (o *Owner) Name`)
    @body               the body: the signature ends where it starts
    @until              the last node of the signature, if there is no body to capture
    @value              the node whose field `body` is the body: `const f = () => {}`
    @outer              the range that includes decorators, `export`, `template<...>`
    @title              (first to last) used in place of a name: `impl Display for Foo`, `TEST(Suite, case)`
    @doc                documentation other than a comment above
    @attribute          something that belongs to the definition below it
    @call, @base, @type a use
    @from               where the text of a call begins, if before @call
    @silent             what looks like calls in it is none: types in Elixir
    @export             what a JavaScript module exports without a name: an import of it under the alias `default`
    @import.module, @import.name, @import.alias, @import.tree    an import; a tree is `a::{b, c as d}`, read as text
    @variable, @of      a name that is bound within a function, and its type if that is spelled out;
                        @made is the call whose value it has
    @error              a syntax error that the parser stepped over

A pattern without @name takes it from the definition node's fields: `name` unless there is a @title, and `body` unless
there is a @body or @value. A node without these fields is no definition.

Each process compiles its queries. tree-sitter then walks all ways to build each node that a pattern names by its kind
and looks into, until it has met the children named there: for the body of a function in Swift that took 0.15 s, for its
name nothing. So patterns leave name and body to the fields, say `(_ field: ...)` for a node that its fields or place
identify as well as its kind, and put alternatives into one pattern. A pattern may begin with `(_` only if its first
child has a kind, since it is tried at each node otherwise, and if it has no `!field`, which is ignored there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ctxkit.slicing.definition import Captured, Definition, without_attributes
from ctxkit.slicing.languages import Grammar
from ctxkit.slicing.macros import CONTEXT, without_macros
from ctxkit.slicing.names import clean, cpp_name, made, named_type, rust_type
from ctxkit.slicing.parse import Unparsable, parse
from ctxkit.slicing.rescue import lost

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Depth below which no use is looked for: the query's time grows with it, and a chain of calls nests as deep as it is
# long.
_DEEPEST = 200
_MATCHES_AT_ONCE = 4_000
# Children of one syntax error; no real code has more.
_MARKS = 8_000
# For C and C++, where the query's time stays linear, and a header full of macros has 17,000.
_MARKS_C = 20_000
# No real file has more; each costs a chunk.
_MOST_DEFINITIONS = 20_000
# Bytes at the end of a use that are read: a chain of ten thousand calls has ten thousand long receivers.
_LONGEST_USE = 240
_SILENT = re.compile('comment|string|preproc_arg')

_ROLES = frozenset({'function', 'class', 'declaration', 'scope'})
# `exports.f = function () {}` belongs to no type.
_NO_OWNER = frozenset({'exports', 'module', 'window', 'global', 'globalThis', 'self', '_G'})


def capture(grammar: Grammar, source: bytes) -> Captured:
    """Parse `source` and run the grammar's query once. Raises Unparsable."""
    from tree_sitter import QueryCursor

    plain = without_macros(grammar.name, source)
    tree = parse(grammar, plain)
    if tree.root_node.has_error and _hopeless(tree, _MARKS_C if grammar.name in ('c', 'cpp') else _MARKS):
        raise Unparsable
    cursor = QueryCursor(grammar.query, match_limit=_MATCHES_AT_ONCE)
    cursor.set_max_start_depth(_DEEPEST)
    found = Captured([], [], {}, {}, 0)
    uses = found.uses
    by_name: dict[tuple[int, bool], Definition] = {}
    silent: list[tuple[int, int]] = []
    type_of = rust_type if grammar.name == 'rust' else named_type
    for _, nodes in cursor.matches(tree.root_node):
        if 'call' in nodes:  # first, for nine of ten matches are calls
            node = nodes['call'][0]
            end = node.end_byte
            start = node.start_byte if len(nodes) == 1 or 'from' not in nodes else nodes['from'][0].start_byte
            uses.append((start if end - start < _LONGEST_USE else end - _LONGEST_USE, end, 'call', None))
        elif 'type' in nodes or 'base' in nodes:
            kind = 'type' if 'type' in nodes else 'base'
            node = nodes[kind][0]
            uses.append((node.start_byte, node.end_byte, kind, None))
        elif not _ROLES.isdisjoint(nodes):
            one = _definition(nodes, source, grammar)
            if one is None:
                continue
            known = by_name.setdefault((one.name_start, one.kind == 'scope'), one)
            if known is not one:
                known.merge(one)
            if len(by_name) > _MOST_DEFINITIONS:
                raise Unparsable
        elif 'silent' in nodes:
            silent.append((nodes['silent'][0].start_byte, nodes['silent'][0].end_byte))
        elif 'anonymous' in nodes:
            node = nodes['anonymous'][0]
            start, end = node.start_byte, node.end_byte
            by_name.setdefault((start, True), Definition('scope', start, end, start, start, '', end))
        else:
            _other(found, nodes, source, type_of)
    if grammar.name == 'kotlin':
        found.attributes.update({context.end(1): context.start(1) for context in CONTEXT.finditer(source)})
    definitions = list(by_name.values())
    for one in definitions if plain is not source else ():
        _reclaim(one, source, plain)
    definitions += _lost(grammar, source, tree, definitions)
    found.definitions = sorted(definitions, key=lambda one: (one.start, -one.end))
    uses.sort()
    if grammar.name == 'elixir':
        found.uses = without_attributes(uses, silent, source)
    return found


def _lost(grammar: Grammar, source: bytes, tree: Tree, known: list[Definition]) -> list[Definition]:
    """The definitions that the grammar lost, most often by a syntax error."""
    # Kotlin's grammar reads `class A` after an annotation as an expression, without an error.
    if grammar.name == 'kotlin' or (tree.root_node.has_error and grammar.name in ('bash', 'c', 'cpp')):
        starts = {one.name_start for one in known}
        types = {one.name for one in known if one.kind == 'class'}
        found = lost(grammar.name, source, starts, types, partial(_silent, tree))
        return list({one.name_start: one for one in found}.values())
    return []


def _definition(nodes: dict[str, list[Node]], source: bytes, grammar: Grammar) -> Definition | None:
    """The definition that one match captured; None if it has no name or body."""
    role = next(role for role in nodes if role in _ROLES)
    node = nodes[role][0]
    if 'name' not in nodes and not _by_fields(node, nodes):
        return None
    start, end = node.start_byte, node.end_byte
    outer = nodes['outer'][0] if 'outer' in nodes else node
    titles = nodes.get('title')
    title = clean(source[titles[0].start_byte : titles[-1].end_byte]) if titles else ''
    named = nodes['name'][0] if 'name' in nodes else nodes['title'][0]
    name = clean(source[named.start_byte : named.end_byte]) if 'name' in nodes else title
    name_start = named.start_byte
    if grammar.name == 'ruby':
        name = name.lstrip(':')
    owner = _text(nodes, 'owner', source).partition('<')[0] if 'owner' in nodes else ''
    if owner in _NO_OWNER:
        owner = ''
    body = end
    if 'body' in nodes:
        body = nodes['body'][0].start_byte
    elif 'until' in nodes:
        body = nodes['until'][0].end_byte
    elif 'value' in nodes:
        made = nodes['value'][0].child_by_field_name('body')
        body = made.start_byte if made is not None else end
    if grammar.name in ('c', 'cpp') and 'name' in nodes and not name.isidentifier():
        before, name, offset = cpp_name(source[named.start_byte : named.end_byte])
        name_start += offset
        owner = owner or before
    return Definition(
        'function' if role == 'declaration' else role,
        min(start, outer.start_byte),
        max(end, outer.end_byte),
        min(start, named.start_byte),
        name_start,
        name,
        body,
        owner,
        title,
        role == 'declaration',
    )


def _by_fields(node: Node, nodes: dict[str, list[Node]]) -> bool:
    """Add name and body from the fields of a definition's node to its captures; returns whether both are known."""
    if 'title' not in nodes:
        name = node.child_by_field_name('name')
        if name is None:
            return False
        nodes['name'] = [name]
    if 'body' not in nodes and 'value' not in nodes:
        body = node.child_by_field_name('body')
        if body is None:
            return False
        nodes['body'] = [body]
    return True


def _hopeless(tree: Tree, marks: int) -> bool:
    """Whether the query would take minutes: its time grows with the square of an error's children."""
    return any(node.is_error and node.child_count > marks for node in (tree.root_node, *tree.root_node.children))


def _reclaim(one: Definition, source: bytes, plain: bytes) -> None:
    """Extend a definition to the macro before it on its line, which was blanked in `plain`."""
    line = plain.rfind(b'\n', 0, one.start) + 1
    if not plain[line : one.start].strip():
        before = source[line : one.start]
        one.start -= len(before.lstrip())


def _silent(tree: Tree, at: int) -> bool:
    """Whether the byte at `at` is in a comment, a string or the text of a macro."""
    node = tree.root_node.descendant_for_byte_range(at, at + 1)
    return node is not None and _SILENT.search(node.type) is not None


def _text(nodes: dict[str, list[Node]], name: str, source: bytes) -> str:
    if name not in nodes:
        return ''
    node = nodes[name][0]
    return source[node.start_byte : node.end_byte].decode('utf-8', 'replace')


def _other(found: Captured, nodes: dict[str, list[Node]], source: bytes, type_of: Callable[[str], str]) -> None:
    """Add any other match to `found`: a variable, an error, an attribute, documentation, or an import."""
    if 'variable' in nodes:
        start = nodes['variable'][0].start_byte
        if 'of' in nodes or 'made' in nodes or start not in found.variables:
            of = made(_text(nodes, 'made', source)) if 'made' in nodes else type_of(_text(nodes, 'of', source))
            found.variables[start] = _text(nodes, 'variable', source), of
    elif 'error' in nodes:
        found.errors += 1
    elif 'attribute' in nodes:
        node = nodes['attribute'][0]
        found.attributes[node.end_byte] = node.start_byte
    elif 'doc' in nodes:
        node = nodes['doc'][0]
        found.docs[node.end_byte] = node.start_byte
    else:
        node = next(iter(nodes.values()))[0]
        module, name = _text(nodes, 'import.module', source), _text(nodes, 'import.name', source)
        alias, tree = _text(nodes, 'import.alias', source), _text(nodes, 'import.tree', source)
        if 'export' in nodes:
            node = nodes['export'][0]
            name, alias = _text(nodes, 'export', source), 'default'
        if 'import.default' in nodes:
            name, alias, tree = 'default', _text(nodes, 'import.default', source), ''
        found.uses.append((node.start_byte, node.end_byte, 'import', (module, name, alias, tree)))
