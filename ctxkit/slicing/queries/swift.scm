(class_declaration declaration_kind: ["class" "struct" "enum" "actor"] name: (type_identifier) @name body: (_) @body) @class
(class_declaration declaration_kind: "extension" @title name: (user_type (type_identifier) @owner) @title body: (_) @body)
  @class
(protocol_declaration name: (type_identifier) @name body: (_) @body) @class
(typealias_declaration . name: (type_identifier) @name) @class
(typealias_declaration (modifiers) . name: (type_identifier) @name) @class
(function_declaration "func" . name: _ @name body: (_) @body) @function
(protocol_function_declaration "func" . name: _ @name) @declaration
(init_declaration "init" @name body: (_) @body) @function
(init_declaration "init" @name) @function
(deinit_declaration "deinit" @name body: (_) @body) @function
(subscript_declaration "subscript" @name (computed_property) @body) @function
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @function
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) value: (lambda_literal) @body) @function
(macro_declaration (simple_identifier) @name) @function

(call_expression . [(simple_identifier) (navigation_expression)] @call)
(inheritance_specifier inherits_from: (user_type) @base)
(attribute (user_type) @call)
(user_type) @type
(import_declaration (identifier) @import.module)
(ERROR) @error
