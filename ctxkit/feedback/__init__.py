"""Whether injected context helps: invented names in answers, stepping down to paths, and a control group.

answer ─> names ─> judge (tree, block, dependencies, built-ins) ─> log ─> state ─> render: whole block or paths
show, prompts ──────────────────────────────────────────────────────┘└──> report: `ctxkit stats`
"""
