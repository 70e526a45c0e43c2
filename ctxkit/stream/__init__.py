"""What recent events produced, beyond the local file: Redis Streams, workers, the watcher.

identity   which project a clone belongs to, whatever its path
server     the connection to Redis, from the person's own settings
names      the names of all keys in Redis
outbox     units on their way: kept in the git common dir until the server has them
publish    the outbox to the project's stream, in order, once
groups     consumer groups: made, read, what a silent reader left
feed       reading a stream: by consumer groups, or simply from an id on
reader     the same for as long as somebody wants it, through restarts of the server
shared     records of file contents that any clone has sliced
jobs       slicing jobs of many repositories, and how they are written into the queue
queue      the bounded queue that they wait in: submitting, taking, finishing
failures   files that no worker could do: tries, reasons, what was set aside
worker     does the jobs
saves      a saved file becomes units
file_events  that something happened in a work tree: watches, or looking again and again
watch      does what follows from it
"""
