[(function_definition) (method_declaration)] @function
(method_declaration name: (name) @name !body) @declaration
[(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @class
(assignment_expression left: (variable_name (name) @name)
  right: [(anonymous_function) (arrow_function)] @value) @function
(property_declaration (_ name: (_ (name) @name)) (property_hook_list (_ body: (_))) @body) @function
(anonymous_class) @anonymous

(function_call_expression function: [(name) (qualified_name)] @call)
(member_call_expression name: (name) @call) @from
(nullsafe_member_call_expression name: (name) @call) @from
(scoped_call_expression name: (name) @call) @from
(object_creation_expression [(name) (qualified_name)] @call)
(attribute [(name) (qualified_name)] @call)
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
(use_declaration [(name) (qualified_name)] @base)
(named_type [(name) (qualified_name)] @type)
(class_constant_access_expression . [(name) (qualified_name)] @type)
(namespace_use_declaration) @import.tree
(ERROR) @error
