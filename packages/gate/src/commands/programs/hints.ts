import type { FoundCommand } from '../command-line.ts'
import { glimpse } from '../glimpse.ts'
import { programOf } from '../program-name.ts'
import { showWords } from '../show-words.ts'
import { describeCommand } from './describe-command.ts'

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Programs that start another one which is named by their words. */
const starters = names(
  'xargs sudo doas su runuser pkexec env nice nohup timeout time stdbuf setsid ionice chroot watch parallel npx bunx pnpx ssh docker podman kubectl script strace ltrace taskset flock unshare nsenter busybox toybox command exec builtin eval caffeinate setpriv firejail entr wsl cmd powershell pwsh find',
)
/** Programs that read a text as commands. */
export const shells = names(
  'sh bash dash ash ksh rbash zsh fish csh tcsh mksh yash eval su ssh xargs watch parallel env npx script cmd powershell pwsh sudo docker podman kubectl find trap',
)

const mostHints = 100
/** Each hint repeats the words behind it, so a long line would cost their number squared. */
const mostHintWords = 200

/** What stands behind such a program may be a command: a rule that refuses or asks for it counts there too. */
export function hintsIn(command: FoundCommand, depth = 0): readonly FoundCommand[] {
  const program = programOf(command.words[0]?.text ?? '')
  if (!starters.has(program) && !shells.has(program)) return []
  // Where it starts nothing, its words are not commands.
  if (program === 'find' && describeCommand(command.words)?.unlisted.length === 0) return []
  const found: FoundCommand[] = []
  for (let at = 1; at < command.words.length && found.length < mostHints; at++) {
    const word = command.words[at]?.text ?? ''
    if (depth < 3 && shells.has(program) && /[\s;|&]/.test(word))
      found.push(
        ...glimpse(word, depth + 1).map(
          (one): FoundCommand => ({ ...one, folders: command.folders, isHint: true }),
        ),
      )
    if (!starters.has(program) || word.startsWith('-') || word === '') continue
    const words = command.words.slice(at, at + mostHintWords)
    found.push({
      ...command,
      words,
      text: showWords(words.map(({ text }) => text)),
      redirects: [],
      isHint: true,
    })
  }
  return found
}
