; Definitions. `@function` or `@class` is the definition, `@outer` the range with its decorators.
(function_definition) @function
(class_definition) @class
(decorated_definition definition: (function_definition) @function) @outer
(decorated_definition definition: (class_definition) @class) @outer
(module (expression_statement (assignment left: (identifier) @name right: (lambda) @value) @function))
(class_definition body: (_
  (expression_statement (assignment left: (identifier) @name right: (lambda) @value) @function)))

; References.
(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (_ (subscript value: [(identifier) (attribute)] @base)))
(type) @type

(import_statement name: (dotted_name) @import.module)
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import.module
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.name)

(ERROR) @error
