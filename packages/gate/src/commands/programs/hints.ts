import { type FoundCommand, foundCommand } from '../command-line.ts'
import { glimpse } from '../glimpse.ts'
import { words } from './known-programs.ts'

/** Programs that start another one which is named by their words. */
const starters = words(
  'xargs sudo doas su runuser pkexec env nice nohup timeout time stdbuf setsid ionice chroot watch parallel npx bunx pnpx ssh docker podman kubectl script strace ltrace taskset flock unshare nsenter busybox toybox command exec builtin eval caffeinate setpriv firejail entr wsl cmd powershell pwsh find',
)
/** Programs that read a text as commands. */
export const shells = words(
  'sh bash dash ash ksh rbash zsh fish csh tcsh mksh yash eval su ssh xargs watch parallel env npx script cmd powershell pwsh sudo docker podman kubectl find trap',
)

const mostHints = 100
/** Each hint repeats the words behind it, so a long line would cost their number squared. */
const mostHintWords = 200

/** What stands behind such a program may be a command: a rule that refuses or asks for it counts there too. */
export function hintsIn(command: FoundCommand, depth = 0): readonly FoundCommand[] {
  const { program, texts, folders, variables } = command
  const starts = starters.has(program)
  const reads = shells.has(program)
  if (!starts && !reads) return []
  // Where it starts nothing, its words are not commands.
  if (program === 'find' && command.described?.unlisted.length === 0) return []
  const found: FoundCommand[] = []
  for (let at = 1; at < texts.length && found.length < mostHints; at++) {
    const word = texts[at] as string
    if (depth < 3 && reads && /[\s;|&]/.test(word))
      found.push(...glimpse(word, depth + 1, folders).map((one): FoundCommand => ({ ...one, isHint: true })))
    if (!starts || word.startsWith('-') || word === '') continue
    const inner = command.words.slice(at, at + mostHintWords)
    found.push(foundCommand(inner, { redirects: [], variables, folders, isHint: true }))
  }
  return found
}
