(function_definition name: (name) @name body: (_) @body) @function
(method_declaration name: (name) @name body: (_) @body) @function
(method_declaration name: (name) @name !body) @declaration
(class_declaration name: (name) @name body: (_) @body) @class
(interface_declaration name: (name) @name body: (_) @body) @class
(trait_declaration name: (name) @name body: (_) @body) @class
(enum_declaration name: (name) @name body: (_) @body) @class
(assignment_expression left: (variable_name (name) @name) right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @function
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
