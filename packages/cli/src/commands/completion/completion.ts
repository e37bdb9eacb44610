import { CadreError } from '@cadre/core'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'

/**
 * Each script calls `cadre __complete` with the words up to the cursor, and gets one candidate per line: value, tab,
 * description. The bash of macOS is version 3.2, which has neither `mapfile` nor negative indexes.
 */
const scripts: { readonly [shell: string]: string } = {
  bash: `# cadre: completion for bash
_cadre_complete() {
  local line=\${COMP_LINE:0:COMP_POINT} cur words value text
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  cur=\${words[\${#words[@]}-1]}
  # Readline breaks words at colons and shows only what follows the last one.
  local before=
  [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && before=\${cur%"\${cur##*:}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value text; do
    COMPREPLY+=("\${value#"$before"}")
  done < <(cadre __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _cadre_complete cadre
`,
  zsh: `# cadre: completion for zsh
_cadre() {
  local -a candidates
  local line value text
  while IFS=$'\\t' read -r value text; do
    candidates+=("\${value//:/\\\\:}\${text:+:$text}")
  done < <(cadre __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe 'cadre' candidates; else _files; fi
}
compdef _cadre cadre
`,
  fish: `# cadre: completion for fish
function __cadre_complete
  set -l words (commandline -opc) (commandline -ct)
  cadre __complete $words[2..-1] 2>/dev/null
end
complete -c cadre -f -a '(__cadre_complete)'
`,
}

/** `cadre completion SHELL`. */
export async function printCompletion(io: Io, _flags: object, shell: string): Promise<ExitCode> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined)
    throw new CadreError('usage', `unsupported shell ${JSON.stringify(shell)}. Use bash, zsh or fish.`)
  io.stdout.write(script)
  return exitCodes.done
}
