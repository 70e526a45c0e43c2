"""What may be written, shown and started: secrets, untrusted text, paths, locks, what git has of `.ctx`."""
