"""What each coding agent expects: the files that `ctxkit init --agent` writes and the answers that `ctxkit show` gives.

One data file an agent below `templates/`; everything that is written follows from it, never from the repository.
The imports are made inside: `ctxkit show` has no time for what `ctxkit init` needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxkit.repo import Repo


def names() -> list[str]:
    """The agents that `ctxkit init --agent` knows."""
    from ctxkit.agents import template

    return template.names()


def install(repo: Repo, agents: list[str]) -> list[str]:
    """Write what each agent reads and say what was done, a line each. Running it again changes nothing.

    Raises CtxError, before anything is written for that agent, where a file cannot be edited safely.
    """
    from ctxkit.agents import files

    return files.install(repo, agents)


def remove(repo: Repo, agents: list[str]) -> list[str]:
    """Take away what `install` wrote for each agent and say what was done, a line each."""
    from ctxkit.agents import files

    return files.remove(repo, agents)


def installed(repo: Repo) -> list[str]:
    """The agents for which something of ours stands in the work tree."""
    from ctxkit.agents import files

    return files.installed(repo)


def trees(repo: Repo) -> list[Repo]:
    """This work tree, then the others of the repository in which `install` was run."""
    from ctxkit.agents import files

    return files.trees(repo)
