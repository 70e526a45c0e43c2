(class_declaration name: (identifier) @name [(class_body) (enum_class_body)] @body) @class
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name (class_body) @body) @class
(object_declaration name: (identifier) @name) @class
(type_alias type: (identifier) @name) @class
(function_declaration name: (identifier) @name (function_body) @body) @function
(function_declaration name: (identifier) @name) @declaration
(function_declaration [
  (_ (identifier) @owner . (type_arguments)? .)
  (nullable_type (_ (identifier) @owner . (type_arguments)? .))
] . "." . name: (identifier) @name) @function
(secondary_constructor "constructor" @name (block) @body) @function
(secondary_constructor "constructor" @name) @function
(property_declaration (variable_declaration (identifier) @name) [(lambda_literal) (anonymous_function)] @body) @function
(property_declaration (variable_declaration (identifier) @name) (getter (function_body (block))) @body) @function
(property_declaration [
  (user_type (identifier) @owner . (type_arguments)? .)
  (nullable_type (_ (identifier) @owner . (type_arguments)? .))
] . "." . (variable_declaration (identifier) @name) (getter (function_body) @body)) @function
(object_literal) @anonymous

(call_expression . [(identifier) (navigation_expression)] @call)
(constructor_invocation (user_type) @call)
(delegation_specifier (constructor_invocation (_ (identifier) @base . (type_arguments)? .)))
(delegation_specifier (user_type (identifier) @base . (type_arguments)? .))
(annotation (user_type) @call)
(user_type) @type
(import) @import.tree
(ERROR) @error
