; The name of a function is the innermost declarator: `int *(*f(int a))(void)`.
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  body: (_) @body) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator:
  (function_declarator declarator: (identifier) @name))) body: (_) @body) @function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  body: (_) @body) @function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) body: (_) @body) @function
; A macro that opens a function: `TEST_IMPL(name) { ... }`, `TEST(Suite, name) { ... }`.
(function_definition type: (type_identifier) @name @title declarator: (parenthesized_declarator (identifier)) @title
  body: (_) @body) @function
((expression_statement (call_expression function: (identifier) @name) @title) @outer . (compound_statement) @function @body)
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator:
  (parenthesized_declarator (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))))
  body: (_) @body) @function
(struct_specifier name: (type_identifier) @name body: (_) @body) @class
(union_specifier name: (type_identifier) @name body: (_) @body) @class
(enum_specifier name: (type_identifier) @name body: (_) @body) @class
(type_definition type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)
  (enum_specifier !name body: (_) @body)] declarator: (type_identifier) @name) @class
(preproc_function_def name: (identifier) @name) @function

(call_expression function: [(identifier) (field_expression)] @call)
(type_identifier) @type
(preproc_include path: (_) @import.module)
(ERROR) @error
