; A node with a declarator and parameters is a function's declarator.
(function_definition declarator: [
  (_ declarator: (_) @name parameters: (_))
  (pointer_declarator [
    (_ declarator: (_) @name parameters: (_))
    (pointer_declarator (_ declarator: (_) @name parameters: (_)))
    (reference_declarator (_ declarator: (_) @name parameters: (_)))])
  (reference_declarator (_ declarator: (_) @name parameters: (_)))
  (operator_cast) @name
  (qualified_identifier name: (operator_cast)) @name
] body: (_) @body) @function
(function_definition declarator: (_ declarator: (_) @name parameters: (_)) (field_initializer_list) @body) @function
(function_definition declarator: [
  (_ declarator: (_) @name parameters: (_))
  (reference_declarator (_ declarator: (_) @name parameters: (_)))
] [(default_method_clause) (delete_method_clause)]) @function
(template_declaration (function_definition declarator: [
  (_ declarator: (_) @name parameters: (_))
  (pointer_declarator (_ declarator: (_) @name parameters: (_)))
  (reference_declarator (_ declarator: (_) @name parameters: (_)))]) @function) @outer
; A macro that opens a function: `TEST(Suite, name) { ... }`.
((function_definition !type declarator: (_ declarator: (identifier) @name
  parameters: (_ . (parameter_declaration !declarator))) @title body: (_) @body) @function
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
[(class_specifier) (struct_specifier) (union_specifier) (enum_specifier)] @class
(template_declaration [(class_specifier) (struct_specifier)] @class) @outer
(type_definition type: [(struct_specifier !name) (union_specifier !name) (enum_specifier !name)] @value
  declarator: (type_identifier) @name) @class
(concept_definition name: (identifier) @name) @class
(preproc_function_def name: (identifier) @name) @function

(call_expression function: [
  (identifier) @call (field_expression) @call (qualified_identifier) @call (template_function name: (_) @call)])
(new_expression type: (_) @call)
(base_class_clause [(type_identifier) (qualified_identifier)] @base)
(base_class_clause (template_type name: (_) @base))
(type_identifier) @type
(preproc_include path: (_) @import.module)
(ERROR) @error
