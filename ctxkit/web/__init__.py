"""The block's `web_context`: whether a request needs the web, and what a provider of the person's choice found.

Off unless the person's own settings turn it on. No hook uses it, and a provider that fails costs its section only.
"""
