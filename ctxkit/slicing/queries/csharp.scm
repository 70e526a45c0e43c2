[(class_declaration) (struct_declaration) (interface_declaration) (enum_declaration) (record_declaration)] @class
(class_declaration name: (identifier) @name !body) @class
(struct_declaration name: (identifier) @name !body) @class
(interface_declaration name: (identifier) @name !body) @class
(record_declaration name: (identifier) @name !body) @class
(delegate_declaration name: (identifier) @name) @class
[(method_declaration) (constructor_declaration) (destructor_declaration) (local_function_statement)] @function
(method_declaration name: (identifier) @name !body) @declaration
(operator_declaration "operator" @title operator: _ @title) @function
(indexer_declaration "this" @name accessors: (_) @body) @function
(property_declaration name: (identifier) @name accessors: (accessor_list (accessor_declaration body: (_))) @body) @function
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @function

(invocation_expression function: [(identifier) (member_access_expression) (generic_name (identifier))] @call)
(conditional_access_expression (_ function: (member_binding_expression name: (_) @call)))
(object_creation_expression type: [(identifier) @call (qualified_name) @call (generic_name (identifier) @call)])
(attribute name: (_) @call)
(base_list [(identifier) (qualified_name)] @base)
(base_list (generic_name (identifier) @base))
(base_list (primary_constructor_base_type type: (_) @base))
(parameter type: (_) @type)
(property_declaration type: (_) @type)
(method_declaration returns: (_) @type)
(variable_declaration type: (_) @type)
(using_directive) @import.tree
(ERROR) @error
