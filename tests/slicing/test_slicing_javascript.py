"""JavaScript and TypeScript: the definitions, and what each of them calls and needs."""

from __future__ import annotations

import pytest
from helpers_slicing import cut, outline, uses


def test_javascript_finds_functions_wherever_they_are_bound():
    sliced, source, found = cut(
        'a.js',
        """
        import a, { b as c, d } from './m.js'
        import * as ns from 'n'
        const x = require('q')
        const { y, z: w } = require('r')

        /** Says hello. */
        export default function foo(a) {
          return a.b(c).d(new E.F())
        }
        export class A extends B.C {
          #x = 1
          static async *m(a) {
            this.k()
          }
          handle = (event) => {
            ns.call(event)
          }
        }
        export const h = async (a) => {
          k()
        }
        module.exports.g = function (a) {
          return a
        }
        A.prototype.z = function () {
          return 1
        }
        const o = {
          p: function () {
            return 2
          },
          r() {
            return 3
          },
        }
        const View = memo(() => <Button onClick={h} />)
    """,
    )
    assert outline(sliced) == [
        ('function', 'foo', 7),
        ('class', 'A', 10),
        ('method', 'A.m', 12),
        ('method', 'A.handle', 15),
        ('function', 'h', 19),
        ('function', 'g', 22),
        ('method', 'A.z', 25),
        ('function', 'p', 29),
        ('function', 'r', 32),
        ('function', 'View', 36),
    ]
    assert found['foo'].doc(source) == '/** Says hello. */' and found['foo'].signature(source) == 'function foo(a)'
    assert uses(found['foo'], 'call') == {'a.b().d', 'a.b', 'E.F'}
    assert uses(found['A'], 'base') == {'B.C'} and '#x = 1' in found['A'].text(source)
    assert uses(found['A.m'], 'call') == {'self.k'} and uses(found['View'], 'call') == {'memo', 'Button'}
    assert found['h'].text(source).startswith('export const h')
    assert uses(found[''], 'import') == {
        './m.js.default as a',
        './m.js.b as c',
        './m.js.d',
        'n. as ns',
        'q. as x',
        'r.y',
        'r.z as w',
    }


def test_typescript_types_interfaces_and_overloads():
    sliced, source, found = cut(
        'a.ts',
        """
        import type { T as U } from 'm'
        export interface Shape extends Base<Item> {
          area(): number
        }
        export type Id = string | Token
        export enum Color { Red }
        declare function over(a: string): void
        namespace NS {
          export function inner() { return 1 }
        }
        export abstract class Box<T> extends Old implements Shape {
          constructor(private readonly dep: Dep) {
            super()
          }
          abstract area(): number
          get size(): Size {
            return helper<T>(this.dep)
          }
        }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Shape', 2),
        ('method', 'Shape.area', 3),
        ('class', 'Id', 5),
        ('class', 'Color', 6),
        ('function', 'over', 7),
        ('function', 'NS.inner', 9),
        ('class', 'Box', 11),
        ('method', 'Box.constructor', 12),
        ('method', 'Box.area', 15),
        ('method', 'Box.size', 16),
    ]
    assert 'area(): number' in found['Shape'].text(source), 'a method without a body stays in its interface'
    assert uses(found['Box'], 'base') == {'Old', 'Shape'} and uses(found['Shape'], 'base') == {'Base'}
    assert uses(found['Box.size'], 'call') == {'helper'} and 'Size' in uses(found['Box.size'], 'type')
    assert uses(found[''], 'import') == {'m.T as U'}


def test_tsx_components_call_components():
    _, _, found = cut(
        'a.tsx',
        """
        export const App = (props: Props) => {
          return <Layout.Main><Item key={props.id} /></Layout.Main>
        }
    """,
    )
    assert uses(found['App'], 'call') == {'Layout.Main', 'Item'}


def test_component_in_what_is_called_on_an_object_is_a_function():
    sliced, _, _ = cut(
        'a.tsx',
        """
        const TabsList = React.forwardRef<Ref, Props>(({ size }, ref) => {
          return <List size={size} />
        })
        export const Row = styled.row((props) => <td {...props} />)
        export const rows = items.map((one) => {
          return one + 1
        })
    """,
    )
    assert outline(sliced) == [('function', 'TabsList', 1), ('function', 'Row', 4)]


@pytest.mark.parametrize('name', ['a.js', 'a.ts'])
@pytest.mark.parametrize(
    'text',
    [
        'export default function add() {\n  return 1\n}\n',
        'export default class add {}\n',
        'export default add\n',
        'export { add as default }\n',
        'module.exports = add\n',
        'module.exports = class add {}\n',
        'exports = module.exports = add\n',
    ],
)
def test_what_a_module_gives_without_a_name_is_an_import_of_it_from_nowhere(name, text):
    sliced, _, _ = cut(name, text)
    assert [use for chunk in sliced.chunks for use in uses(chunk, 'import')] == ['add as default']
