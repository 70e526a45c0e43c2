; JavaScript alone.
(class_heritage [(identifier) (member_expression)] @base)
(class_heritage (_ function: [(identifier) (member_expression)] @base))
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @value) @function
(jsx_opening_element name: [(identifier) (member_expression)] @call)
(jsx_self_closing_element name: [(identifier) (member_expression)] @call)
