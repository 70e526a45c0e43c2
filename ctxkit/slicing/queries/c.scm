; The name of a function is the innermost declarator: `int *(*f(int a))(void)`.
; A node with a declarator and parameters is a function's declarator.
(function_definition declarator: [
  (_ declarator: [
    (identifier) @name
    (parenthesized_declarator [
      (identifier) @name
      (_ declarator: (_ declarator: (identifier) @name parameters: (_)))])] parameters: (_))
  (pointer_declarator declarator: [
    (_ declarator: [
      (identifier) @name
      (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name parameters: (_))))] parameters: (_))
    (pointer_declarator declarator: (_ declarator: (identifier) @name parameters: (_)))])
] body: (_) @body) @function
; A macro that opens a function: `TEST_IMPL(name) { ... }`, `TEST(Suite, name) { ... }`.
(function_definition type: (type_identifier) @name @title declarator: (parenthesized_declarator (identifier)) @title
  body: (_) @body) @function
((expression_statement (_ function: (identifier) @name) @title) @outer . (compound_statement) @function @body)
(struct_specifier name: (type_identifier) @name body: (_) @body) @class
(union_specifier name: (type_identifier) @name body: (_) @body) @class
(enum_specifier name: (type_identifier) @name body: (_) @body) @class
(type_definition type: [(struct_specifier !name) (union_specifier !name) (enum_specifier !name)] @value
  declarator: (type_identifier) @name) @class
(preproc_function_def name: (identifier) @name) @function

(call_expression function: [(identifier) (field_expression)] @call)
(type_identifier) @type
(preproc_include path: (_) @import.module)
(ERROR) @error
