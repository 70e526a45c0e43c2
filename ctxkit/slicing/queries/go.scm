(function_declaration) @function
(function_declaration name: (identifier) @name !body) @declaration
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))
    (parenthesized_type (pointer_type (type_identifier) @owner))]))
  name: (field_identifier) @name body: (block) @body) @function
(type_spec name: (type_identifier) @name type: [
  (struct_type (field_declaration_list) @body) (interface_type "{" @body)]) @class
(type_spec name: (type_identifier) @name) @class
(type_alias name: (type_identifier) @name) @class
(type_declaration . [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)] @class .) @outer
; `var handler = func() {}`
(source_file (var_declaration (var_spec name: (identifier) @name value: (expression_list . (func_literal) @value .))
  @function) @outer)
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name
  value: (expression_list . (func_literal) @value .)) @function)))

(call_expression function: [(identifier) (selector_expression)] @call)
(call_expression function: (type_instantiation_expression type: (_) @call))
(composite_literal type: [(type_identifier) (qualified_type)] @call)
(struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @base (qualified_type) @base])))
(struct_type (field_declaration_list (field_declaration !name type: (pointer_type [
  (type_identifier) @base (qualified_type) @base]))))
(interface_type (type_elem [(type_identifier) (qualified_type)] @base))
(parameter_declaration name: (identifier) @variable type: (_) @of)
(variadic_parameter_declaration name: (identifier) @variable)
(var_spec name: (identifier) @variable type: (_) @of)
[(short_var_declaration left: (expression_list (identifier) @variable))
 (range_clause left: (expression_list (identifier) @variable))
 (receive_statement left: (expression_list (identifier) @variable))
 (type_switch_statement alias: (expression_list (identifier) @variable))]
(short_var_declaration left: (expression_list . (identifier) @variable .) right: (expression_list . [
  (composite_literal type: (_) @of) (unary_expression operand: (composite_literal type: (_) @of))] .))
(qualified_type) @type
(type_identifier) @type
(import_spec !name path: (_) @import.module)
(import_spec name: (_) @import.alias path: (_) @import.module)
(ERROR) @error
