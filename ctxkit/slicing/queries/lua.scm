(function_declaration name: (identifier) @name parameters: (_) @until) @function
(function_declaration name: [
  (dot_index_expression table: (_) @owner field: (identifier) @name)
  (method_index_expression table: (_) @owner method: (identifier) @name)] parameters: (_) @until) @function
(assignment_statement . (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition parameters: (_) @until) .)) @function
(assignment_statement . (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name) .)
  (expression_list . value: (function_definition parameters: (_) @until) .)) @function
(assignment_statement . (variable_list . name: (bracket_index_expression) @name .)
  (expression_list . value: (function_definition parameters: (_) @until) .)) @function
(variable_declaration (assignment_statement . (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition parameters: (_) @until) .)) @function) @outer
; `M.f = wrap(function() end)`, `M.f = (function() end)()`, at the top of a module only: elsewhere it is a value.
(chunk (assignment_statement . (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name) .)
  (expression_list . value: (function_call [
    arguments: (arguments . (function_definition parameters: (_) @until))
    name: (parenthesized_expression (function_definition parameters: (_) @until))]) .)) @function)
(field name: (identifier) @name value: (function_definition parameters: (_) @until)) @function
(field name: (string content: (_) @name) value: (function_definition parameters: (_) @until)) @function

(function_call name: [(identifier) (dot_index_expression) (method_index_expression)] @call)
(assignment_statement (variable_list . name: (identifier) @import.alias .) (expression_list . value: (function_call
  name: (identifier) @_require arguments: (arguments . (string content: (_) @import.module) .)) .) (#eq? @_require "require"))
(assignment_statement (variable_list . name: (identifier) @import.alias .) (expression_list . value: (dot_index_expression
  table: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @import.module) .))
  field: (identifier) @import.name) .) (#eq? @_require "require"))
(ERROR) @error
