const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Variables that an allowed line may set: they change output, not which code runs. */
export const listedVariables = words(
  'CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE TZ LANG LC_ALL TERM COLUMNS LINES PORT PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR GIT_TERMINAL_PROMPT',
)

export const reservedWords = words(
  'if then else elif fi for while until do done case esac select function time coproc in { } ! [[ ]]',
)

/** Builtins of bash that are no programs. `cd`, `echo`, `pwd`, `true`, `false`, `:`, `export` and `command -v` belong to the runner. */
export const shellBuiltins = words(
  '. source eval exec set unset declare typeset local readonly read mapfile readarray alias unalias builtin enable shopt trap type hash help history fc bind caller complete compgen compopt dirs pushd popd disown fg bg jobs kill let logout return break continue shift getopts suspend times ulimit umask wait',
)
