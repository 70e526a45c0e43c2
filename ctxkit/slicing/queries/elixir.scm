; Everything is a call: definitions are calls of `def` and its kin.
(call target: (identifier) @_module (arguments . (alias) @name) (do_block) @body
  (#any-of? @_module "defmodule" "defprotocol")) @class
(call target: (identifier) @title @_impl (arguments . (alias) @owner . (keywords)? @title) (do_block) @body
  (#eq? @_impl "defimpl")) @class
(call target: (identifier) @_def (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")]) (do_block)? @body
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp")) @function
(call target: (identifier) @_def (arguments . (binary_operator left: (_) operator: _ @name)) (do_block)? @body
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp")
  (#any-of? @name "+" "-" "*" "/" "++" "--" "<>" "|>" "==" "!=" "<" ">" "<=" ">=" "in" "and" "or" "&&" "||"
      "&&&" "|||" "<<<" ">>>" "^^^" "~>" "<~" "~>>" "<<~" "<~>" "<|>" ".." "=~")) @function
(call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")] (keywords) @body)
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop")) @function
(unary_operator "@" operand: (call target: (identifier) @_doc (arguments . [(string) (sigil)])
  (#any-of? @_doc "doc" "moduledoc" "typedoc"))) @doc
(unary_operator "@" operand: (call target: (identifier) @_spec (#any-of? @_spec "spec" "impl" "since" "deprecated"))) @attribute
(unary_operator "@" operand: (call target: (identifier) @_behaviour (arguments . (alias) @base)
  (#eq? @_behaviour "behaviour")))

(call target: (identifier) @call)
(call target: (dot left: (_) right: (identifier)) @call)
(struct (alias) @call)
(call target: (identifier) @_use (arguments . (alias) @base) (#eq? @_use "use"))
(call target: (identifier) @_alias (arguments) @import.tree (#any-of? @_alias "alias" "import" "require" "use"))
(ERROR) @error
