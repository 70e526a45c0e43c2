[(class_definition) (object_definition) (package_object) (trait_definition) (enum_definition) (given_definition)] @class
(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(trait_definition name: (_) @name) @class
(given_definition name: (_) @name) @class
(given_definition !name "given" @title return_type: [
  (type_identifier) @owner @title (generic_type type: (type_identifier) @owner) @title]) @class
(function_definition) @function
(function_declaration name: (_) @name) @declaration
(val_definition pattern: (identifier) @name value: (lambda_expression) @body) @function
(extension_definition parameters: (_ (_ type: [
  (type_identifier) @owner (generic_type type: (type_identifier) @owner)])) (function_definition) @function)

(instance_expression (template_body)) @anonymous

(call_expression function: [
  (identifier) @call (field_expression) @call (generic_function function: [(identifier) (field_expression)] @call)])
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
