; Everything is a call: definitions are calls of `def` and its kin.
(_ target: (identifier) @_module (arguments . (alias) @name) (do_block) @body
  (#any-of? @_module "defmodule" "defprotocol")) @class
(_ target: (identifier) @title @_impl (arguments . (alias) @owner . (keywords)? @title) (do_block) @body
  (#eq? @_impl "defimpl")) @class
(_ target: (identifier) @_def (arguments . [
    (_ target: (identifier) @name)
    (identifier) @name
    (_ left: (_ target: (identifier) @name) operator: "when")
    (_ left: (identifier) @name operator: "when")]) (do_block)? @body
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp")) @function
(_ target: (identifier) @_def (arguments . (_ left: (_) operator: _ @name)) (do_block)? @body
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp")
  (#any-of? @name "+" "-" "*" "/" "++" "--" "<>" "|>" "==" "!=" "<" ">" "<=" ">=" "in" "and" "or" "&&" "||"
      "&&&" "|||" "<<<" ">>>" "^^^" "~>" "<~" "~>>" "<<~" "<~>" "<|>" ".." "=~")) @function
(_ target: (identifier) @_def (arguments . [
    (identifier) @name
    (_ target: (identifier) @name)
    (_ left: (_ target: (identifier) @name) operator: "when")] (keywords) @body)
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop")) @function
(unary_operator "@" operand: (_ target: (identifier) @_doc (arguments . [(string) (sigil)])
  (#any-of? @_doc "doc" "moduledoc" "typedoc"))) @doc
(unary_operator "@" operand: (_ target: (identifier) @_spec (#any-of? @_spec "spec" "impl" "since" "deprecated"))) @attribute
(unary_operator "@" operand: (_ target: (identifier) @_behaviour (arguments . (alias) @base)
  (#eq? @_behaviour "behaviour")))
(unary_operator "@" operand: (_ target: (identifier) @_spec
  (#any-of? @_spec "spec" "type" "typep" "opaque" "callback" "macrocallback"))) @silent

(call target: [(identifier) (_ right: (identifier))] @call)
(struct (alias) @call)
(_ target: (identifier) @_use (arguments . (alias) @base) (#eq? @_use "use"))
(_ target: (identifier) @_alias (arguments) @import.tree (#any-of? @_alias "alias" "import" "require" "use"))
(ERROR) @error
