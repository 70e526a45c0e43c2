[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration) (annotation_type_declaration)
  (enum_constant)] @class
[(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @function
(method_declaration name: (identifier) @name !body) @declaration
(annotation_type_element_declaration name: (identifier) @name) @declaration
(object_creation_expression (class_body)) @anonymous

(method_invocation name: (identifier) @call) @from
(object_creation_expression type: [
  (type_identifier) @call (scoped_type_identifier) @call
  (generic_type [(type_identifier) (scoped_type_identifier)] @call)])
(method_reference (identifier) @call .) @from
(marker_annotation name: (_) @call)
(annotation name: (_) @call)
(superclass [(type_identifier) (scoped_type_identifier)] @base)
(superclass (generic_type . (_) @base))
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @base))
(super_interfaces (type_list (generic_type . (_) @base)))
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @base))
(extends_interfaces (type_list (generic_type . (_) @base)))
(scoped_type_identifier) @type
(type_identifier) @type
(import_declaration) @import.tree
(ERROR) @error
