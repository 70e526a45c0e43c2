"""What each coding agent expects: files, hooks, settings; one template an agent."""
