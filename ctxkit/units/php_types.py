"""The classes of PHP as far as the code spells them out: what they inherit, and the types of properties and methods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.units.php_files import Files, Where
from ctxkit.units.php_text import LONGEST_TYPE, class_in, element, said_in, types

MOST = 6  # types of one value that are followed
MOST_BASES = 60
# Types that are no class of anybody.
PLAIN = frozenset(
    'null false true bool boolean int integer float double string array iterable callable object mixed void never '
    'resource numeric scalar list non-empty-string class-string array-key positive-int'.split()
)
_RETURNED = re.compile(r'\)\s*:\s*([^{;]+?)\s*[{;]?\s*$')
_TEMPLATE = re.compile(r'@(?:(?:phpstan|psalm)-)?template(?:-\w+)?\s+(\w+)')
_ABSTRACT = re.compile(r'\babstract\b')
_CASE = r'(?m)^[ \t]*case\s+{}\b'
_PROPERTY = (
    r'(?<![@\w-])(?:public|protected|private|var|readonly|static)(?:\(set\))?\s{{1,40}}'
    r'(?:(?:public|protected|private|readonly|static)(?:\(set\))?\s{{1,40}}){{0,4}}'
    r'([^\s$;(=*][^$;(={{*]{{0,300}}?\s)?&?\${}\b'
)
_COMMENT = re.compile(r'/\*\*(?:(?!\*/).)*\*/\s*(?:#\[[^\]\n]*\]\s*)*$', re.S)


class Type(NamedTuple):
    """A type as it is written, and the place where it is."""

    text: str
    where: Where


class Meaning(NamedTuple):
    """The classes of the tree that types mean; whether one of them is a class of somebody else's, or not known."""

    classes: tuple[int, ...]
    outside: bool = False
    unknown: bool = False


class Line(NamedTuple):
    """The classes that a class has methods from, the nearest first; whether some of them are not in the tree."""

    classes: tuple[int, ...]
    outside: bool


class Classes(Files):
    """What is known of the classes of a tree."""

    def __init__(self, corpus: Corpus) -> None:
        """See `Files`."""
        super().__init__(corpus)
        self._lines: dict[int, Line] = {}
        self._bases: dict[int, Line] = {}
        self._properties: dict[tuple[int, str], list[Type] | None] = {}
        self._once: dict[tuple[int, str], bool] = {}

    def itself(self, class_: int) -> Type:
        """A class as a type."""
        return Type('self', Where(self.corpus.path(class_), self.corpus.place(class_).line, class_))

    def meant(self, found: Iterable[Type]) -> Meaning:
        """The classes that some types mean."""
        classes, outside, unknown = dict[int, None](), False, False
        for type_ in found:
            for one in types(type_.text):
                name, where = class_in(one), type_.where
                if name.lower() in ('self', 'static') or one == '$this':
                    classes.update({where.own: None} if where.own >= 0 else {})
                    unknown = unknown or where.own < 0
                elif name.lower() == 'parent':
                    classes.update(dict.fromkeys(self.parents(where.own)))
                elif name.lower() in PLAIN or not name:
                    unknown = unknown or not name or name.lower() in ('mixed', 'object')
                else:
                    full, said = self.full(where, name)
                    own = self.classes(where, full)
                    classes.update(dict.fromkeys(own))
                    outside = outside or not own and said
                    unknown = unknown or not own and not said
        return Meaning(tuple(classes)[:MOST], outside, unknown)

    def bases(self, class_: int) -> Line:
        """What a class itself extends, implements and uses: traits, then classes, then interfaces."""
        if class_ not in self._bases:
            found, outside = list[int](), False
            path = self.corpus.path(class_)
            rows = self.rows(path)
            for base in self.corpus.references(class_):
                if base.kind == 'base' and len(found) < MOST_BASES:
                    near = '\n'.join(rows[base.line - 1 : base.line + 2])
                    where = Where(path, base.line, class_)
                    own = self.classes(where, self.whole_name(where, base.qualifier, base.name, near))
                    found += [one for one in own[:1] if one != class_]
                    outside = outside or not own
            order = {'trait': 0, 'class': 1}
            self._bases[class_] = Line(tuple(sorted(found, key=lambda one: order.get(self.kind(one), 2))), outside)
        return self._bases[class_]

    def whole_name(self, where: Where, qualifier: str, name: str, near: str) -> str:
        """The whole name of a class that the slicer split; the text near it tells whether it began with `\\`."""
        parts = [*(qualifier.split('.') if qualifier not in ('', '?') else []), name]
        plain = '\\'.join(parts)
        absolute = re.search(rf'(?<![\w\\])\\{re.escape(plain)}\b', near) is not None
        return self.full(where, f'\\{plain}' if absolute or qualifier == '?' else plain)[0]

    def parents(self, class_: int) -> tuple[int, ...]:
        """The class that a class extends."""
        return tuple(one for one in self.bases(class_).classes if self.kind(one) == 'class') if class_ >= 0 else ()

    def line(self, class_: int) -> Line:
        """A class, and all that it has methods from: its traits and parents, then interfaces, then what it mixes in."""
        if class_ not in self._lines:
            found, later, outside, todo = list[int](), list[int](), False, [class_]
            while todo and len(found) < MOST_BASES:  # with a class its traits and theirs, then its parent
                one = todo.pop()
                if one in found:
                    continue
                found.append(one)
                bases = self.bases(one)
                outside = outside or bases.outside
                todo += [base for base in reversed(bases.classes) if self.kind(base) != 'interface']
                later += [base for base in bases.classes if self.kind(base) == 'interface' and base not in later]
            for one in later:  # grows
                bases = self.bases(one)
                outside = outside or bases.outside
                later += [base for base in bases.classes if base not in later][: MOST_BASES - len(later)]
            mixed = [one for other in found for one in self._mixed(other) if one not in found]
            self._lines[class_] = Line((*found, *later, *mixed), outside)
        return self._lines[class_]

    def _mixed(self, class_: int) -> tuple[int, ...]:
        comment = self.comment(class_)
        if '@mixin' not in comment:
            return ()
        path, line = self.corpus.path(class_), self.corpus.place(class_).line
        return self.meant([Type(said_in(comment, 'mixin'), Where(path, line, class_))]).classes

    def methods(self, class_: int, name: str) -> tuple[list[int], bool]:
        """(the method of a name that a class has, whether that is sure)."""
        later, of_traits = -1, list[int]()
        for one in self.line(class_).classes:
            own = self.method(one, name)
            if own < 0:
                continue
            if self.kind(one) != 'trait':
                return ([own], True) if not of_traits else (of_traits[:1], len(of_traits) == 1)
            if not _ABSTRACT.search(self.head(own)):
                of_traits.append(own)
            elif later < 0:
                later = own
        if of_traits:  # of two traits that a class has, it says which one gives the method
            return of_traits[:1], len(of_traits) == 1
        return ([later], True) if later >= 0 else ([], not self.line(class_).outside)

    def returned(self, method: int, class_: int) -> list[Type]:
        """The types of what a method gives, called on a class (-1: a function)."""
        out = self._said_to_return(method)
        if class_ < 0:
            return out
        if not any(class_in(one.text) or element(one.text) for one in out):
            name = self.corpus.place(method).name
            for one in self.line(class_).classes:  # a comment may leave it to that of an interface
                other = self.method(one, name)
                said = self._said_to_return(other) if other not in (-1, method) else []
                if any(class_in(type_.text) or element(type_.text) for type_ in said):
                    out = said
                    break
        plain = {'static', '$this'}
        if self.own(method) >= 0 and self.kind(self.own(method)) == 'trait':
            plain.add('self')
        return [self.itself(class_) if one.text.lstrip('?') in plain else one for one in out]

    def is_of_argument(self, method: int) -> bool:
        """Whether a function says that it gives an object of the class that it is called with."""
        comment = self.comment(method)
        return any(
            f'class-string<{name}>' in comment and name in types(said_in(comment, 'return'))
            for name in _TEMPLATE.findall(comment)
        )

    def _said_to_return(self, method: int) -> list[Type]:
        where = Where(self.corpus.path(method), self.corpus.place(method).line, self.own(method))
        found = _RETURNED.search(' '.join(self.head(method)[-LONGEST_TYPE:].split()))
        return self.chosen(said_in(self.comment(method), 'return'), found.group(1) if found else '', where)

    def chosen(self, said: str, plain: str, where: Where) -> list[Type]:
        """The types that a comment gives, if it says more than the code does, and nothing else."""
        texts = [one for one in types(said)] if said else []
        declared = [Type(one, where) for one in types(plain)]
        if any(class_in(one) or element(one) or one == '$this' for one in texts):
            known = self.meant([Type(one, where) for one in texts])
            told = known.classes and not self._is_other(known, self.meant(declared))
            if told or any(element(one) for one in texts) or not plain:
                return [Type(one, where) for one in texts][:MOST]
        return declared[:MOST]

    def _is_other(self, known: Meaning, declared: Meaning) -> bool:
        """Whether what a comment says cannot be, for none of it is of a class that the code declares."""
        if not declared.classes or declared.outside or declared.unknown:
            return False
        return not any(set(declared.classes) & set(self.line(one).classes) for one in known.classes)

    def property(self, class_: int, name: str) -> list[Type] | None:
        """The types of a property or a case of a class; None where nothing is said."""
        if (class_, name) not in self._properties:
            self._properties[class_, name] = self._property(class_, name)
        return self._properties[class_, name]

    def _property(self, class_: int, name: str) -> list[Type] | None:
        for one in self.line(class_).classes:
            where = Where(self.corpus.path(one), self.corpus.place(one).line, one)
            constructor = self.method(one, '__construct')
            for text, promoted in ((self.corpus.text(one), False), (self.head(constructor), True)):
                found = re.search(_PROPERTY.format(name), text)
                if found:
                    comment = _COMMENT.search(text[max(0, found.start() - 1500) : found.start()])
                    said = said_in(comment.group(), 'var') if comment else ''
                    if promoted and not said:
                        said = said_in(self.comment(constructor), 'param', name)
                    return self.chosen(said, (found.group(1) or '').strip(), where) or None
            said = said_in(self.comment(one), 'property', name)
            if said:
                return self.chosen(said, '', where)
            if self.kind(one) == 'enum' and re.search(_CASE.format(name), self.corpus.text(one)):
                return [self.itself(one)]
        return None

    def is_set_once(self, class_: int, name: str) -> bool:
        """Whether a class and its parents give a value to a property in one place."""
        if (class_, name) not in self._once:
            set_ = re.compile(rf'\$this->{name}\s*(?:\?\?)?=(?![=>])')
            texts = map(self.text, self.line(class_).classes)
            self._once[class_, name] = sum(len(set_.findall(text)) for text in texts) < 2
        return self._once[class_, name]

    def elements(self, found: Iterable[Type]) -> list[Type]:
        """The types of what some types hold."""
        held = ((element(text), type_.where) for type_ in found for text in types(type_.text))
        return [Type(text, where) for text, where in held if text][:MOST]
