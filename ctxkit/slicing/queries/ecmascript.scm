; What JavaScript and TypeScript share.
(function_declaration name: (identifier) @name body: (_) @body) @function
(generator_function_declaration name: (identifier) @name body: (_) @body) @function
(function_expression name: (identifier) @name body: (_) @body) @function
(generator_function name: (identifier) @name body: (_) @body) @function
(method_definition name: (_) @name body: (_) @body) @function
(class name: (_) @name body: (_) @body) @class
(export_statement declaration: (function_declaration name: (identifier) @name body: (_) @body) @function) @outer
(export_statement declaration: (generator_function_declaration name: (identifier) @name body: (_) @body) @function) @outer
(export_statement declaration: (class_declaration name: (_) @name body: (_) @body) @class) @outer
(class_declaration name: (_) @name body: (_) @body) @class

; `const f = () => {}`, `let f = function () {}`, `const C = class {}`
(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(lexical_declaration . (variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function .) @outer
(variable_declaration . (variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function .) @outer
(export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function .)) @outer

; `const Button = memo(() => {})`, at the top of a module only: elsewhere it is a value, not a function.
(program (lexical_declaration . (variable_declarator name: (identifier) @name value: (call_expression
  function: (identifier) arguments: (arguments . [
    (arrow_function body: (_) @body) (function_expression !name body: (_) @body)]))) @function .) @outer)
(program (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
  value: (call_expression function: (identifier) arguments: (arguments . [
    (arrow_function body: (_) @body) (function_expression !name body: (_) @body)]))) @function .)) @outer)

; `exports.f = function () {}`, `Owner.prototype.f = ...`, `Owner.f = ...`, `{ f: function () {} }`
(assignment_expression left: [(identifier) @name (member_expression property: (_) @name)] right: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function
(expression_statement (assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)] right: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function) @outer
(assignment_expression left: (member_expression object: (identifier) @owner property: (_) @name) right: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body)
]) @function
(assignment_expression left: (member_expression
  object: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
  property: (_) @name) right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_prototype "prototype")) @function
(assignment_expression left: [(identifier) @name (member_expression property: (_) @name)] right: (class body: (_) @body))
  @class
(pair key: [(property_identifier) (string)] @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]) @function
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
(variable_declarator name: (identifier) @import.alias value: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @import.module .)) (#eq? @_require "require"))
(variable_declarator name: (identifier) @import.alias value: (member_expression
  object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
  property: (property_identifier) @import.name) (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern
    (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
  (#eq? @_require "require"))

(ERROR) @error
