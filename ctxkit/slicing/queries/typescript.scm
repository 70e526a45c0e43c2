; Only in TypeScript.
[(abstract_class_declaration) (interface_declaration) (enum_declaration)] @class
(type_alias_declaration name: (_) @name) @class
(export_statement declaration: [(abstract_class_declaration) (interface_declaration) (enum_declaration)] @class) @outer
(export_statement declaration: (type_alias_declaration name: (_) @name) @class) @outer
(internal_module) @scope
(module name: (identifier) @name body: (_) @body) @scope
(function_signature name: (_) @name) @declaration
(export_statement declaration: (function_signature name: (_) @name) @declaration) @outer
(method_signature name: (_) @name) @declaration
(abstract_method_signature name: (_) @name) @function
(public_field_definition value: [(arrow_function) (function_expression)] @value) @function
(class_body (decorator) @attribute)

(export_statement "default" declaration: (_ name: (type_identifier) @export))
(export_statement "=" (identifier) @export)
(export_statement (export_clause (export_specifier name: (_) @export alias: (_) @_alias)) !source
  (#eq? @_alias "default"))

(extends_clause value: [(identifier) (member_expression)] @base)
(extends_clause value: (_ function: [(identifier) (member_expression)] @base))
(implements_clause (type_identifier) @base)
(implements_clause (generic_type name: (_) @base))
(extends_type_clause type: (type_identifier) @base)
(extends_type_clause type: (generic_type name: (_) @base))
(type_identifier) @type
(nested_type_identifier) @type
