"""Where units go: local file, Redis Streams; watcher and workers."""
