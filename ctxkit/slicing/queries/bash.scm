(function_definition name: (word) @name body: (_) @body) @function
(command name: (command_name (word) @call))
(command name: (command_name (word) @_source) . argument: [(word) (string) (concatenation)] @import.module
  (#any-of? @_source "source" "."))
(ERROR) @error
