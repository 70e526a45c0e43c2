"""The block's `web_context`: whether a request needs the web, and what a provider of the person's choice found.

It is off unless the person's own settings turn it on. No hook uses it, and a failing provider costs only its section.
"""
