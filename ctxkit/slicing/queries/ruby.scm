(method name: (_) @name) @function
(singleton_method object: (constant) @owner name: (_) @name) @function
(singleton_method name: (_) @name) @function
(class name: (_) @name) @class
(module name: (_) @name) @class
(class superclass: (superclass (_) @base))
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) block: (_) @body
  (#any-of? @_define "define_method" "define_singleton_method")) @function
(call method: (identifier) @_define arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_define "attr_reader" "attr_writer" "attr_accessor" "alias_method")) @function
(assignment left: (constant) @name right: (call receiver: (constant) @_struct method: (identifier) @_new block: (_) @body)
  (#any-of? @_struct "Struct" "Class" "Module" "Data") (#any-of? @_new "new" "define")) @class
(assignment left: (constant) @name right: (call receiver: (constant) @base method: (identifier) @_new)
  (#eq? @base "Struct") (#eq? @_new "new")) @class

(call receiver: (_) method: [(identifier) (constant)] @call) @from
(call !receiver method: [(identifier) (constant)] @call)
(call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_include "include" "extend" "prepend"))
(body_statement (identifier) @call)
(scope_resolution) @type
(constant) @type
(call !receiver method: (identifier) @_require arguments: (argument_list . (string (string_content) @import.module) .)
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
(ERROR) @error
