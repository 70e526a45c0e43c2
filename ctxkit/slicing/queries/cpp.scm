(function_definition declarator: (function_declarator declarator: (_) @name) body: (_) @body) @function
(function_definition declarator: (function_declarator declarator: (_) @name) (field_initializer_list) @body) @function
(function_definition declarator: (function_declarator declarator: (_) @name) (default_method_clause)) @function
(function_definition declarator: (function_declarator declarator: (_) @name) (delete_method_clause)) @function
(function_definition declarator: (pointer_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @function
(function_definition declarator: (pointer_declarator (pointer_declarator (function_declarator declarator: (_) @name)))
  body: (_) @body) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body)
  @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))
  [(default_method_clause) (delete_method_clause)]) @function
(function_definition declarator: (operator_cast) @name body: (_) @body) @function
(function_definition declarator: (qualified_identifier name: (operator_cast)) @name body: (_) @body) @function
(template_declaration (function_definition declarator: (function_declarator declarator: (_) @name)) @function) @outer
(template_declaration (function_definition declarator: [
  (pointer_declarator (function_declarator declarator: (_) @name))
  (reference_declarator (function_declarator declarator: (_) @name))]) @function) @outer
; A macro that opens a function: `TEST(Suite, name) { ... }`.
((function_definition !type declarator: (function_declarator declarator: (identifier) @name
  parameters: (parameter_list . (parameter_declaration !declarator))) @title body: (_) @body) @function
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
(class_specifier name: (_) @name body: (_) @body) @class
(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(template_declaration [
  (class_specifier name: (_) @name body: (_) @body) (struct_specifier name: (_) @name body: (_) @body)] @class) @outer
(type_definition type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)
  (enum_specifier !name body: (_) @body)] declarator: (type_identifier) @name) @class
(concept_definition name: (identifier) @name) @class
(preproc_function_def name: (identifier) @name) @function

(call_expression function: [(identifier) (field_expression) (qualified_identifier)] @call)
(call_expression function: (template_function name: (_) @call))
(new_expression type: (_) @call)
(base_class_clause [(type_identifier) (qualified_identifier)] @base)
(base_class_clause (template_type name: (_) @base))
(type_identifier) @type
(preproc_include path: (_) @import.module)
(ERROR) @error
