; What JavaScript and TypeScript share.
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function)
  (method_definition)] @function
[(class_declaration) (class)] @class
(export_statement declaration: [(function_declaration) (generator_function_declaration)] @function) @outer
(export_statement declaration: (class_declaration) @class) @outer

; `const f = () => {}`, `let f = function () {}`, `const C = class {}`
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @function
(variable_declarator name: (identifier) @name value: (class) @value) @class
(lexical_declaration . (_ name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @function .) @outer
(variable_declaration . (_ name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @function .) @outer
(export_statement declaration: (lexical_declaration . (_ name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @function .)) @outer

; `const Button = memo(() => {})`, at the top of a module only: elsewhere it is a value, not a function.
(program (lexical_declaration . (_ name: (identifier) @name value: (_
  function: (identifier) arguments: (_ . [(arrow_function) (function_expression !name)] @value))) @function .) @outer)
(program (export_statement declaration: (lexical_declaration . (_ name: (identifier) @name value: (_
  function: (identifier) arguments: (_ . [(arrow_function) (function_expression !name)] @value))) @function .)) @outer)

; `const Button = React.forwardRef(() => {})`: of calls on an object, only components (a capital).
(program (lexical_declaration . (_ name: (identifier) @name value: (_ function: (member_expression)
  arguments: (_ . [(arrow_function) (function_expression !name)] @value))) @function .) @outer
  (#match? @name "^[A-Z]"))
(program (export_statement declaration: (lexical_declaration . (_ name: (identifier) @name value: (_
  function: (member_expression) arguments: (_ . [(arrow_function) (function_expression !name)] @value))) @function .))
  @outer (#match? @name "^[A-Z]"))

; `exports.f = function () {}`, `Owner.prototype.f = ...`, `Owner.f = ...`, `{ f: function () {} }`
(assignment_expression left: [(identifier) @name (_ property: (_) @name)]
  right: [(arrow_function) (function_expression) (generator_function)] @value) @function
(expression_statement (assignment_expression left: [(identifier) @name (_ property: (_) @name)]
  right: [(arrow_function) (function_expression) (generator_function)] @value) @function) @outer
(assignment_expression left: (_ object: (identifier) @owner property: (_) @name)
  right: [(arrow_function) (function_expression)] @value) @function
(assignment_expression left: (_ object: (_ object: (identifier) @owner property: (property_identifier) @_prototype)
  property: (_) @name) right: [(arrow_function) (function_expression)] @value
  (#eq? @_prototype "prototype")) @function
(assignment_expression left: [(identifier) @name (_ property: (_) @name)] right: (class) @value) @class
(pair key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @function
(class !name) @anonymous

; References.
(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)
(decorator [(identifier) (member_expression)] @call)

(import_statement (import_clause (identifier) @import.default) source: (string) @import.module)
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name !alias)))
  source: (string) @import.module)
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_) @import.alias)))
  source: (string) @import.module)
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string) @import.module)
(import_statement . source: (string) @import.module)
(export_statement (export_clause (export_specifier name: (_) @import.name !alias)) source: (string) @import.module)
(export_statement (export_clause (export_specifier name: (_) @import.name alias: (_) @import.alias))
  source: (string) @import.module)
(export_statement "*" @import.name source: (string) @import.module)
(export_statement (namespace_export (_) @import.alias) source: (string) @import.module)
; What a module exports without a name: `export default f`, `module.exports = f`.
(export_statement "default" declaration: (_ name: (identifier) @export))
(export_statement "default" value: (identifier) @export)
(assignment_expression left: (_ object: (identifier) @_module property: (_) @_exports)
  right: [(identifier) @export (class name: (_) @export) (function_expression name: (_) @export)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(variable_declarator name: [
    (identifier) @import.alias
    (object_pattern (shorthand_property_identifier_pattern) @import.name)
    (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias))]
  value: (call_expression function: (identifier) @_require arguments: (_ . (string) @import.module .))
  (#eq? @_require "require"))
(variable_declarator name: (identifier) @import.alias value: (member_expression
  object: (_ function: (identifier) @_require arguments: (_ . (string) @import.module .))
  property: (property_identifier) @import.name) (#eq? @_require "require"))

(ERROR) @error
