(class_declaration declaration_kind: ["class" "struct" "enum" "actor"]) @class
(class_declaration declaration_kind: "extension" @title name: (_) @owner @title) @class
(protocol_declaration) @class
(typealias_declaration . name: (type_identifier) @name) @class
(typealias_declaration (modifiers) . name: (type_identifier) @name) @class
[(function_declaration) (init_declaration)] @function
(protocol_function_declaration "func" . name: _ @name) @declaration
(init_declaration "init" @name) @function
(deinit_declaration "deinit" @name body: (_) @body) @function
(subscript_declaration "subscript" @name (_) @body .) @function
; A computed property or a closure, recognised by what its braces contain: those of `didSet` contain something else.
(property_declaration (_ bound_identifier: (simple_identifier) @name)
  (_ . "{" [(statements) "in" (computed_getter) (computed_setter) (computed_modify)]) @body) @function
(property_declaration (_ bound_identifier: (simple_identifier) @name)
  (_ . "{" . [(comment) (multiline_comment)]* . "}") @body) @function
(macro_declaration (simple_identifier) @name) @function

; Not `array[0]`, which the grammar takes for a call, too.
(call_expression . [(simple_identifier) (navigation_expression)] @call
  (call_suffix . [(value_arguments . "(") (lambda_literal)]))
(inheritance_specifier inherits_from: (user_type) @base)
(attribute (user_type) @call)
(user_type) @type
(import_declaration (identifier) @import.module)
(ERROR) @error
