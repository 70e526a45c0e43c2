; JavaScript alone.
(class_heritage [(identifier) (member_expression)] @base)
(class_heritage (call_expression function: [(identifier) (member_expression)] @base))
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  @function
(jsx_opening_element name: [(identifier) (member_expression)] @call)
(jsx_self_closing_element name: [(identifier) (member_expression)] @call)
