"""The conversation's own state: one append-only message log, and the two channels derived from it.

    stdin, transcripts ─> message ─> log ─> person's channel (everything, ephemeral marked)
                                      │───> model's channel  (permanent only, the last 12, pairs whole)
                                      └───> session_state    (the block's section)

`ttl` decides how long ephemeral context lives, `person.done` deletes it when the person says that a result is right.
"""
