"""The lines in a git hook: POSIX sh, nothing but built-ins before git goes on."""

from __future__ import annotations

HOOKS = ('post-commit', 'post-checkout', 'post-merge', 'post-rewrite', 'post-applypatch')
BEGIN = b'# >>> ctxkit >>>'
END = b'# <<< ctxkit <<<'

# Events that need no worker. `$1`... are git's arguments to that hook.
GUARDS = {
    'post-checkout': '  [ "${3-}" != 0 ] || exit 0  # single files: no other commit',
    'post-rewrite': '  [ "${1-}" != amend ] || exit 0  # post-commit has noted it',
}
# A commit that is one of many is only noted.
LATER = {
    'post-commit': '  [ "$n" = "$k/requests/$w.$$" ] || exit 0  # a pick: post-rewrite does the work once',
    'post-applypatch': """\
  a=$d/rebase-apply i='' j=''
  [ ! -f "$a/rebasing" ] || exit 0  # a rebase: post-rewrite does the work once
  read -r i <"$a/next"; read -r j <"$a/last"
  [ "$i" = "$j" ] || exit 0  # of a series of patches the last one does""",
}

BODY = """\
(
  [ "${CTXKIT_DISABLE:-0}" = 0 ] || exit 0
@GUARD@
  d=${GIT_DIR:-.git} w='~main' r=$PWD
  [ -z "${MSYSTEM-}" ] || r=$(pwd -W) || r=$PWD
  if [ -f "$d" ]; then IFS= read -r d <"$d"; d=${d#gitdir: }; fi
  case $d in /* | ?:*) ;; *) d=$PWD/$d ;; esac
  c=$d
  if [ -f "$d/commondir" ]; then
    IFS= read -r c <"$d/commondir"; w=${d##*/}
    case $c in /* | ?:*) ;; *) c=$d/$c ;; esac
  fi
  [ -f "$d/HEAD" ] && [ -d "$c/objects" ] || exit 0  # a path with a line break was read in part
  k=$c/ctxkit
  if [ ! -O "$k" ] && [ -z "${MSYSTEM-}" ]; then  # another user's, or there is none
    u=$k-$(id -u) || [ ! -d "$k" ] || exit 0
    if [ -d "$k" ] || [ -d "$u" ]; then k=$u; fi
  fi
  [ -d "$k/requests" ] || mkdir -p "$k/requests" || exit 0
  x=$r/.ctx  # while git waits: made later, it would stand in the way of who removes the work tree meanwhile
  if [ ! -e "$x" ] && [ -e "$r/.git" ]; then mkdir "$x" && printf '*\\n!config.yaml\\n' >"$x/.gitignore"; fi
  n=$k/requests/$w.$$
  if [ -d "$d/rebase-merge" ] || [ -d "$d/rebase-apply" ]; then n=$k/requests/$w.rebase; fi
  printf '%s\\n%s\\n%s' @EVENT@ @COMMIT@ "$r" >"$n" || exit 0
@LATER@
  p=@PYTHON@
  if [ -x "$p" ]; then set -- "$p" -m ctxkit.events "$c"; else set -- ctxkit hook drain "$c"; fi
  l=$k/worker.lock
  trap '' HUP  # a terminal that ends with git, as an agent's or that of `ssh -t`, would end what follows
  {
    # A lock that somebody took for git alone (`flock 9`) would be held for all of this.
    exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    cd / || exit 0
    # A worker that is at it looks again when it has freed its lock; starting Python to learn that would slow git.
    if [ -f "$l" ] && command -v flock; then flock -s -n -E 77 "$l" true || [ $? != 77 ] || exit 0; fi
    "$@" || {
      s=$? m="the worker was killed; the next event goes on"
      if [ "$s" -le 128 ]; then
        m="ctxkit did not start ($1); run ctxkit init again"
        mv -f "$n" "$k/requests/$w.0"  # one file, not one an event, for as long as there is no ctxkit
      fi
      echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) error $m" >>"$k/log"
    }
  } &
) </dev/null >/dev/null 2>&1 || :
"""


def block(hook: str, python: str) -> bytes:
    """Our marked lines for a hook. `python` is the interpreter that has ctxkit; '' to take `ctxkit` from PATH."""
    text = BODY
    for mark, value in (('@GUARD@\n', GUARDS.get(hook, '')), ('@LATER@\n', LATER.get(hook, ''))):
        text = text.replace(mark, f'{value}\n' if value else '')
    text = text.replace('@EVENT@', hook).replace('@COMMIT@', '"${2-}"' if hook == 'post-checkout' else "''")
    text = text.replace('@PYTHON@', quoted(python.replace('\\', '/') if _windows(python) else python))
    return (
        BEGIN
        + b'  keeps .ctx/ fresh; `ctxkit uninstall` takes these lines away\n'
        + text.encode('utf-8', 'surrogateescape')
        + END
        + b'\n'
    )


def quoted(text: str) -> str:
    """`text` as one word of sh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _windows(path: str) -> bool:
    return path[1:3] in (':\\', ':/')
