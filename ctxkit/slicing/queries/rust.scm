(function_item name: (identifier) @name body: (block) @body) @function
(function_signature_item name: (identifier) @name) @declaration
(struct_item name: (type_identifier) @name body: (_) @body) @class
(struct_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name body: (_) @body) @class
(enum_item name: (type_identifier) @name body: (_) @body) @class
(trait_item name: (type_identifier) @name body: (_) @body) @class
(source_file (type_item name: (type_identifier) @name) @class)
(mod_item body: (declaration_list (type_item name: (type_identifier) @name) @class))
(macro_definition name: (identifier) @name) @function
(mod_item name: (identifier) @name body: (_) @body) @scope
(impl_item "impl" @title type: [
  (type_identifier) @owner
  (generic_type type: [(type_identifier) @owner (_ name: (_) @owner)])
  (scoped_type_identifier name: (type_identifier) @owner)
  (reference_type type: (_) @owner)
  (primitive_type) @owner
  (tuple_type) @owner (array_type) @owner (pointer_type) @owner (function_type) @owner (dynamic_type) @owner
  (unit_type) @owner (never_type) @owner (abstract_type) @owner (macro_invocation) @owner
] @title) @class
(impl_item "impl" @title type: (_) @title) @class
(attribute_item) @attribute

(call_expression function: [
  (identifier) @call (field_expression) @call (scoped_identifier) @call
  (generic_function function: [(identifier) (field_expression) (scoped_identifier)] @call)])
(macro_invocation macro: [(identifier) (scoped_identifier)] @call)
(struct_expression name: (_) @call)
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @base)
(impl_item trait: (generic_type type: (_) @base))
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @base))
(trait_item bounds: (trait_bounds (generic_type type: (_) @base)))
(parameter pattern: [(identifier) @variable (mut_pattern (identifier) @variable)] type: (_) @of)
(let_declaration pattern: (identifier) @variable type: (_) @of)
(let_declaration pattern: (identifier) @variable !type value: [
  (struct_expression name: (_) @of) (reference_expression value: (struct_expression name: (_) @of))
  (call_expression) @made
  (try_expression [(call_expression) (await_expression (call_expression))] @made)
  (await_expression (call_expression) @made)])
(let_declaration pattern: (identifier) @variable)
[(for_expression pattern: (identifier) @variable)
 (match_pattern (identifier) @variable)
 (let_condition pattern: (identifier) @variable)
 (closure_parameters (identifier) @variable)
 (tuple_pattern (identifier) @variable)
 (tuple_struct_pattern (identifier) @variable)
 (slice_pattern (identifier) @variable)
 (reference_pattern (identifier) @variable)
 (ref_pattern (identifier) @variable)
 (mut_pattern (identifier) @variable)
 (or_pattern (identifier) @variable)
 (captured_pattern . (identifier) @variable)
 (field_pattern pattern: (identifier) @variable)
 (shorthand_field_identifier) @variable]
(scoped_type_identifier) @type
(type_identifier) @type
(use_declaration argument: (_) @import.tree)
(mod_item name: (identifier) @import.name !body)
(extern_crate_declaration name: (identifier) @import.module)
(ERROR) @error
