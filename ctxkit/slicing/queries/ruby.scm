(method name: (_) @name) @function
(_ object: (constant) @owner name: (_) @name) @function
(singleton_method name: (_) @name) @function
(class name: (_) @name) @class
(module name: (_) @name) @class
(class superclass: (superclass (_) @base))
(_ method: (identifier) @_define arguments: (_ . (simple_symbol) @name) block: (_) @body
  (#any-of? @_define "define_method" "define_singleton_method")) @function
(_ method: (identifier) @_define arguments: (_ (simple_symbol) @name)
  (#any-of? @_define "attr_reader" "attr_writer" "attr_accessor")) @function
(_ method: (identifier) @_define arguments: (_ . (simple_symbol) @name) (#eq? @_define "alias_method")) @function
(assignment left: (constant) @name right: (_ receiver: (constant) @_struct method: (identifier) @_new block: (_) @body)
  (#any-of? @_struct "Struct" "Class" "Module" "Data") (#any-of? @_new "new" "define")) @class
(assignment left: (constant) @name right: (_ receiver: (constant) @_struct method: (identifier) @_new)
  (#eq? @_struct "Struct") (#eq? @_new "new")) @class

(call method: [(identifier) (constant)] @call) @from
(call !receiver method: (identifier) @_include arguments: (_ [(constant) (scope_resolution)] @base)
  (#any-of? @_include "include" "extend" "prepend"))
(body_statement (identifier) @call)
(scope_resolution) @type
(constant) @type
(call !receiver method: (identifier) @_require arguments: (_ . (string (string_content) @import.module) .)
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
(ERROR) @error
