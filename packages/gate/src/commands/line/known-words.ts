import { splitWords } from '../programs/known-programs.ts'

/** Variables that an allowed line may set: they change output, not which code runs. */
export const listedVariables = splitWords(
  'CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE TZ LANG LC_ALL TERM COLUMNS LINES PORT PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR GIT_TERMINAL_PROMPT',
)

/** Variables that bash or programs interpret. Any other variable that a line sets is only a name for a text. */
export const specialVariables =
  /^(?:_|[a-z]+_.*|(?:BASH|COMP|EPOCH|GIT|HIST|LC|LD|NODE|OPT|PROMPT|PYTHON|READLINE|XDG)_?.*|PATH|IFS|HOME|PWD|OLDPWD|CDPATH|ENV|SHELL|SHELLOPTS|SHLVL|USER|LOGNAME|TMPDIR|EDITOR|PAGER|GLOBIGNORE|POSIXLY_CORRECT|RANDOM|SRANDOM|SECONDS|LINENO|UID|EUID|PPID|GROUPS|DIRSTACK|FUNCNAME|FUNCNEST|HOSTNAME|HOSTTYPE|HOSTFILE|MACHTYPE|OSTYPE|PS\d|REPLY|PIPESTATUS|MAPFILE|COPROC|TIMEFORMAT|TMOUT|INPUTRC|IGNOREEOF|FIGNORE|FCEDIT|EXECIGNORE|MAIL.*|CHILD_MAX)$/

export const reservedWords = splitWords(
  'if then else elif fi for while until do done case esac select function time coproc in { } ! [[ ]]',
)

/**
 * Builtins of bash that are not programs. The runner implements `cd`, `echo`, `pwd`, `true`, `false`, `:`, `export` and
 * `command -v`.
 */
export const shellBuiltins = splitWords(
  '. source eval exec set unset declare typeset local readonly read mapfile readarray alias unalias builtin enable shopt trap type hash help history fc bind caller complete compgen compopt dirs pushd popd disown fg bg jobs kill let logout return break continue shift getopts suspend times ulimit umask wait',
)
