"""What recent events produced, beyond the local file: Redis Streams, workers, the watcher.

identity   which project a clone belongs to, whatever its path
server     the connection to Redis, from the person's own settings
names      the names of all keys in Redis
outbox     units to be sent: kept in the git common dir until the server has them
publish    sends the outbox to the project's stream, in order, once
groups     consumer groups: creating and reading them, taking over from a silent reader
feed       reading a stream: in a consumer group, or simply from an id on
reader     the same for as long as somebody wants it, through restarts of the server
shared     records of file contents that any clone has sliced
jobs       slicing jobs of many repositories, and how they are written into the queue
queue      the bounded queue of jobs: submitting, taking, finishing
failures   files that no worker could do: tries, reasons, what was set aside
worker     does the jobs
saves      turns a saved file into units
file_events  notices that something happened in a work tree, by file watches or polling
watch      does what follows from it
"""
