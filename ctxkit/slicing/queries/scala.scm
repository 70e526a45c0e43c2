(class_definition name: (_) @name body: (_) @body) @class
(class_definition name: (_) @name) @class
(object_definition name: (_) @name body: (_) @body) @class
(object_definition name: (_) @name) @class
(package_object name: (_) @name body: (_) @body) @class
(trait_definition name: (_) @name body: (_) @body) @class
(trait_definition name: (_) @name) @class
(enum_definition name: (_) @name body: (_) @body) @class
(given_definition name: (_) @name body: (_) @body) @class
(given_definition name: (_) @name) @class
(function_definition name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @declaration
(val_definition pattern: (identifier) @name value: (lambda_expression) @body) @function
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @owner (generic_type type: (type_identifier) @owner)])) body: (function_definition name: (_) @name body: (_) @body) @function)

(instance_expression (template_body)) @anonymous

(call_expression function: [(identifier) (field_expression)] @call)
(call_expression function: (generic_function function: [(identifier) (field_expression)] @call))
(instance_expression [(type_identifier) (stable_type_identifier)] @call)
(instance_expression (generic_type type: (_) @call))
(annotation name: (_) @call)
(extends_clause type: [(type_identifier) (stable_type_identifier)] @base)
(extends_clause type: (generic_type type: (_) @base))
(derives_clause type: (_) @base)
(stable_type_identifier) @type
(type_identifier) @type
(import_declaration) @import.tree
(ERROR) @error
