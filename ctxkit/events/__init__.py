"""From a git event to one detached worker: what the hooks write, who drains it, and how hooks get installed.

shim       the POSIX sh lines in a hook: write a request, start a worker, return
requests   the folder of requests: noted by anyone, claimed by the lock's holder
worker     takes the lock and drains the requests
detach     starts a worker that outlives git, the terminal and the agent
hook_file  our marked lines in a hook file that may be somebody else's
install    which folder git reads hooks from, and our lines in it
"""
