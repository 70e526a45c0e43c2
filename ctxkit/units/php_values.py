"""The types of values in PHP: of variables, as far as what is bound to them says it, and of chains of calls."""

from __future__ import annotations

import re

from ctxkit.index.corpus import Corpus
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.php_bindings import ANY, Binding, Check, bindings, bound_again, checks, is_in_block
from ctxkit.units.php_files import Where
from ctxkit.units.php_text import Chain, chain, class_in, element
from ctxkit.units.php_types import MOST, Classes, Type

DEEPEST = 12
MOST_RETURNS = 8
MOST_BINDINGS = 20
_BEGINS = re.compile(r'\s*(?:clone\s+)?')
_ENDS = re.compile(r'\s*(\?\?|\?:|[;,)\]]|as\b|$)')
_RETURN = re.compile(r'\breturn\s+(?=[^\s;])')
_INNER = re.compile(r'(?<![$\w>:])(?:function|fn|class)\b')
_OF_CLASS = re.compile(r'[\w\\]+\s*\(\s*(?:\w+:\s*)?(\\?[A-Za-z_][\w\\]*)::class\s*[,)]')


class Values(Classes):
    """What is known of the values in a tree."""

    def __init__(self, corpus: Corpus) -> None:
        """See `Files`."""
        super().__init__(corpus)
        self._bindings: dict[int, dict[str, list[Binding]]] = {}
        self._checks: dict[int, dict[str, list[Check]]] = {}
        self._types: dict[tuple[int, str, int], list[Type] | None] = {}
        self._given: dict[tuple[int, str], list[Type] | None] = {}
        self._inferred: dict[int, list[Type]] = {}
        self._depth = 0

    def bound_in(self, chunk: int) -> dict[str, list[Binding]]:
        """What binds the variables of a chunk."""
        if chunk not in self._bindings:
            first = self.corpus.place(chunk).start_line
            self._bindings[chunk] = bindings(self.text(chunk), first, self.comment(chunk))
        return self._bindings[chunk]

    def narrowed(self, chunk: int, what: str, line: int) -> tuple[list[Type], bool]:
        """(the class that a value is known to have in a line, whether it is asked for its class at all)."""
        if chunk not in self._checks:
            self._checks[chunk] = checks(self.text(chunk), self.corpus.place(chunk).start_line)
        asked = [one for one in self._checks[chunk].get(what, ()) if one.line <= line]
        name = what.partition('->')[0]
        bound = max((one.line for one in self.bound_in(chunk).get(name, ()) if one.line < line), default=0)
        for one in reversed(asked):
            if one.line >= bound and one.class_ != '$' and any(start <= line <= end for start, end in one.holds):
                return [Type(one.class_, Where(self.corpus.path(chunk), line, self.own(chunk)))], True
        return [], any(one.line >= bound for one in asked)

    def variable(self, chunk: int, name: str, line: int) -> tuple[list[Type] | None, bool]:
        """(the types of a variable in a line, whether no other is possible); None where nothing is said."""
        if name == 'this':
            own = self.own(chunk)
            return ([self.itself(own)._replace(text='$this')] if own >= 0 else None), True
        found, sure = self._reaching(chunk, name, line)
        while not found:
            above = self.above(chunk)
            inner = self.corpus.place(chunk).kind == 'function' and not self.is_function(chunk)
            if not inner or above < 0 or self.corpus.place(above).kind not in FUNCTIONS:
                return None, False
            chunk = above
            found, sure = self._reaching(chunk, name, line)
        types = [self._bound_type(chunk, name, number) for number in found]
        same = {self.meant(one) if one else None for one in types}
        known = [one for some in reversed(types) for one in some or ()]
        return list(dict.fromkeys(known))[:MOST] or None, sure and len(same) == 1

    def _reaching(self, chunk: int, name: str, line: int) -> tuple[list[int], bool]:
        """(the bindings of a variable that can hold in a line, the last first; whether one of them must)."""
        rows = self.rows(self.corpus.path(chunk))
        found = list[int]()
        many = self.bound_in(chunk).get(name, [])
        for number in range(len(many) - 1, -1, -1):
            one = many[number]
            if one.line > line or one.last and line > one.last:
                continue
            if len(found) == MOST_BINDINGS:
                break
            if one.kind in ('value', 'or') and self._is_in_its_own(chunk, one, name, line):
                continue
            found.append(number)
            if one.kind == 'parameter' or one.certain and is_in_block(rows, one.line, one.indent, line):
                any_ = self.bound_in(chunk).get(ANY, ())
                sure = not any(one.line <= other.line <= line for other in any_)
                return found + bound_again(many, rows, one.line, line), sure
        return found, False

    def _is_in_its_own(self, chunk: int, one: Binding, name: str, line: int) -> bool:
        """Whether a line is within a binding that needs the variable itself: `$a = $a->next()`."""
        text = self.text(chunk)
        read, end = chain(text, one.at), text.find(';', one.at)
        if read and text.startswith(')', read.end):  # `if ($a = $b->next())`
            end = read.end
        rest = text[one.at : end if end >= 0 else len(text)]
        return line <= one.line + rest.count('\n') and re.search(rf'\${name}\b', rest) is not None

    def _bound_type(self, chunk: int, name: str, number: int) -> list[Type] | None:
        key = chunk, name, number
        if key not in self._types and self._depth <= DEEPEST:
            self._types[key] = None  # where it needs itself
            self._depth += 1
            self._types[key] = self._type_of(chunk, self.bound_in(chunk)[name][number])
            self._depth -= 1
        return self._types.get(key)

    def _type_of(self, chunk: int, one: Binding) -> list[Type] | None:
        where = Where(self.corpus.path(chunk), one.line, self.own(chunk))
        if one.kind == 'parameter':
            said, _, plain = one.text.partition('\0')
            return self.chosen(said, plain, where) or None
        if one.kind == 'type':
            return [Type(one.text, where)]
        value = self.value(chunk, self.text(chunk), one.at, one.line) if one.kind in ('value', 'or', 'each') else None
        return self.elements(value or ()) or None if one.kind == 'each' else value

    def value(self, chunk: int, text: str, at: int, line: int) -> list[Type] | None:
        """The types of the expression that begins at a place of a text; None where nothing is said."""
        out = list[Type]()
        for _ in range(4):
            begun = _BEGINS.match(text, at)
            read = chain(text, begun.end() if begun else at)
            if read is None:
                return None
            found = self.result(chunk, text, read, line, len(read.steps))[0]
            rest = _ENDS.match(text, read.end)
            if rest is None or found is None and (read.head.lower() != 'null' or read.steps):
                return None
            out += found or ()
            if rest.group(1) not in ('??', '?:'):
                break
            at = rest.end()
        return out[:MOST] or None

    def result(self, chunk: int, text: str, read: Chain, line: int, steps: int) -> tuple[list[Type] | None, bool]:
        """(the types of a chain up to so many of its steps, whether no other is possible)."""
        found, sure = self._first(chunk, text, read, line)
        what = read.head.lstrip('$')
        for number in range(min(steps, len(read.steps)) + 1):
            if read.head.startswith('$'):
                narrow, asked = self.narrowed(chunk, what, line)
                if narrow and not self._has_all(found, narrow):
                    found, sure = narrow, True
                sure = sure and bool(narrow or not asked)
            if found is None or number == steps or number == len(read.steps):
                break
            step = read.steps[number]
            what += f'->{step.name}{"()" if step.called else ""}'
            if step.name == '[]':
                found = self.elements(found) or None
                continue
            following = list[Type]()
            static = number == 0 and read.head[:1] not in ('$', '')
            for class_ in self.meant(found).classes:
                if step.called:
                    argument = self._argument(chunk, text, step.at, line)
                    own, certain = self.methods(class_, step.name)
                    sure = sure and certain
                    following += [type_ for method in own for type_ in self.gives(method, class_, argument)]
                elif step.joint != '::' or step.name.startswith('$') or static:
                    name = step.name.lstrip('$')
                    said = self.property(class_, name)
                    given = None if said else self.given(class_, name)
                    following += said or given or ()
                    sure = sure and (not given or self.is_set_once(class_, name))
            found = list(dict.fromkeys(following))[:MOST] or None
        return found, sure and found is not None

    def _has_all(self, found: list[Type] | None, narrow: list[Type]) -> bool:
        """Whether what is known of a value says as much as what it is asked for: it is of a class below that."""
        asked = set(self.meant(narrow).classes)
        classes = self.meant(found).classes if found else ()
        return bool(asked) and bool(classes) and all(asked <= set(self.line(one).classes) for one in classes)

    def _first(self, chunk: int, text: str, read: Chain, line: int) -> tuple[list[Type] | None, bool]:
        """The types of what a chain begins with."""
        if not read.head:
            self._depth += 1
            found = self.value(chunk, text, read.at + 1, line) if self._depth <= DEEPEST else None
            self._depth -= 1
            return found, True
        where = Where(self.corpus.path(chunk), line, self.own(chunk))
        if read.head.startswith('$'):
            return (None, False) if read.called else self.variable(chunk, read.head[1:], line)
        if read.new or not read.called and read.steps and read.steps[0].joint == '::':
            return [Type(read.head, where)], True
        own = self.functions(where, read.head) if read.called else []
        argument = self._argument(chunk, text, read.at, line)
        out = [type_ for one in own[:1] for type_ in self.gives(one, -1, argument)]
        return out or None, len(own) == 1

    def _argument(self, chunk: int, text: str, at: int, line: int) -> Type | None:
        """The class that a call is made with: `get(Foo::class)`."""
        found = _OF_CLASS.match(text, at)
        return Type(found.group(1), Where(self.corpus.path(chunk), line, self.own(chunk))) if found else None

    def gives(self, method: int, class_: int, argument: Type | None) -> list[Type]:
        """The types of what a method gives, called on a class (-1: a function), else of what it returns.

        `argument` is the class that it is called with, which it may say it gives an object of.
        """
        if argument and self.is_of_argument(method):
            return [argument]
        said = self.returned(method, class_)
        if any(class_in(one.text) or element(one.text) for one in said):
            return said
        if method not in self._inferred and self._depth <= DEEPEST:
            self._inferred[method] = []
            self._depth += 1
            text, found = self.text(method), list[list[Type] | None]()
            if not _INNER.search(text, text.find('(')):
                first = self.corpus.place(method).start_line
                for one in list(_RETURN.finditer(text))[:MOST_RETURNS]:
                    found.append(self.value(method, text, one.end(), first + text.count('\n', 0, one.start())))
            self._inferred[method] = (found[0] or []) if found and all(one == found[0] for one in found) else []
            self._depth -= 1
        own = self.own(method)
        inferred = self._inferred.get(method) or said
        if class_ < 0:
            return inferred
        return [self.itself(class_) if one.text == '$this' and one.where.own == own else one for one in inferred]

    def given(self, class_: int, name: str) -> list[Type] | None:
        """The types of what the constructor of a class puts into a property of which nothing is said."""
        key = class_, name
        if key not in self._given and self._depth <= DEEPEST:
            self._given[key] = None
            for method in self.methods(class_, '__construct')[0]:
                text = self.text(method)
                found = re.search(rf'\$this->{name}\s*=(?!=)\s*', text)
                if found:
                    self._depth += 1
                    line = self.corpus.place(method).start_line + text.count('\n', 0, found.start())
                    self._given[key] = self.value(method, text, found.end(), line)
                    self._depth -= 1
        return self._given.get(key)
