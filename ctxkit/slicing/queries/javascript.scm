; Only in JavaScript.
(class_heritage [(identifier) (member_expression)] @base)
(class_heritage (_ function: [(identifier) (member_expression)] @base))
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @value) @function
(export_statement (export_clause (export_specifier name: (_) @export alias: "default")) !source)
(export_statement (export_clause (export_specifier name: "default" @import.name !alias)) source: (string) @import.module)
(export_statement (export_clause (export_specifier name: "default" @import.name alias: (_) @import.alias))
  source: (string) @import.module)
(import_statement (import_clause (named_imports (import_specifier name: "default" @import.name alias: (_) @import.alias)))
  source: (string) @import.module)
(jsx_opening_element name: [(identifier) (member_expression)] @call)
(jsx_self_closing_element name: [(identifier) (member_expression)] @call)
