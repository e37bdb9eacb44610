import type { CommandLine, FoundCommand, FoundRedirect } from './command-line.ts'
import { findDanger, textsIn } from './find-danger.ts'
import { glimpse } from './glimpse.ts'
import { refuseHidden } from './hidden-characters.ts'
import type { Command, Group, List, Redirect, Stage } from './line/line.ts'
import { readLine } from './line/read-line.ts'
import { programOf } from './program-name.ts'
import { hintsIn, shells } from './programs/hints.ts'
import { runsDownload, showsDownload } from './runs-download.ts'
import { showWords } from './show-words.ts'

const mostRemembered = 16 * 1_024
/** Several rules ask about the same call, one after the other. What a line comes down to depends on nothing else. */
const recent = new Map<string, CommandLine>()

/**
 * What a line would start. A plain line is known exactly. Of a line that needs a shell only what is plain to see is found:
 * enough to refuse it, or to say how risky it is, and never to allow it. Never throws.
 */
export function understandLine(source: string): CommandLine {
  const known = recent.get(source)
  if (known !== undefined) return known
  const line = understand(source)
  if (source.length > mostRemembered) return line
  if (recent.size >= 16) recent.delete(recent.keys().next().value as string)
  recent.set(source, line)
  return line
}

function understand(source: string): CommandLine {
  const hidden = refuseHidden(source)
  if (hidden !== undefined) return { commands: [], why: hidden, refused: hidden, refusedBy: 'characters' }
  const read = readLine(source)
  const line: CommandLine =
    read.kind === 'plain'
      ? { commands: withTexts(new Walk().list(read.list), read.list), plan: read.list }
      : { commands: glimpse(source), why: read.why }
  const isDownload = read.kind === 'plain' ? runsDownload(read.list) : showsDownload(source)
  const danger = read.kind === 'shell' && isForkBomb(source) ? bomb : isDownload ? download : findDanger(line)
  return danger === undefined
    ? line
    : { ...line, refused: danger.reason, refusedBy: `dangerous: ${danger.what}` }
}

const download = { what: 'curl | sh', reason: 'it runs what it downloads' }
const bomb = { what: 'fork bomb', reason: 'it starts itself without end' }
const mostFunctions = 20

/** A function that starts itself in a pipe or in the background: `f() { f | f & }`. Linear in the length of the line. */
function isForkBomb(source: string): boolean {
  let open = source.indexOf('()')
  for (let count = 0; open >= 0 && count < mostFunctions; count++, open = source.indexOf('()', open + 2)) {
    const name = /[^\s;|&(){}]{1,200}$/.exec(source.slice(Math.max(0, open - 220), open).trimEnd())?.[0]
    const body = /^\s{0,20}\{([^}]*)/.exec(source.slice(open + 2, open + 2_000))?.[1]
    if (name === undefined || body === undefined) continue
    const starts = body.split(/[\s;|&{]+/)
    if (starts.includes(name) && /[|&]/.test(body.slice(body.indexOf(name) + name.length))) return true
  }
  return false
}

/** What a shell of the line is given to read may be commands. */
function withTexts(commands: readonly FoundCommand[], list: List): readonly FoundCommand[] {
  if (!commands.some(({ words }) => shells.has(programOf(words[0]?.text ?? '')))) return commands
  const words = commands.flatMap((command) => command.words.slice(1).map(({ text }) => text))
  const hints = [...textsIn(list), ...words.filter((text) => text.includes(' '))].flatMap((text) =>
    glimpse(text, 1),
  )
  return [...commands, ...hints.map((hint): FoundCommand => ({ ...hint, isHint: true }))]
}

const mostFolders = 8

/** Follows `cd` through a plain line: in which folders each command may run, depending on what succeeded before it. */
class Walk {
  readonly #found: FoundCommand[] = []
  /** The folders after the last step, where it succeeded and where it failed. */
  #passed: readonly string[] = ['.']
  #failed: readonly string[] = []

  list(list: List): readonly FoundCommand[] {
    for (const { after, stages } of list) {
      const [passed, failed] = [this.#passed, this.#failed]
      const from = after === '&&' ? passed : after === '||' ? failed : union(passed, failed)
      const to = this.#stages(stages, from)
      this.#passed = after === '||' ? union(to, passed) : to
      this.#failed = after === '&&' ? union(from, failed) : from
    }
    return this.#found
  }

  /** The folders behind it, where it succeeds. A `cd` in a pipe is forgotten with it. */
  #stages(stages: readonly Stage[], from: readonly string[]): readonly string[] {
    for (const stage of stages) {
      if (stage.kind === 'group') this.#group(stage, from)
      else this.#command(stage, from)
    }
    const [only] = stages
    if (stages.length > 1 || only?.kind !== 'command' || only.words[0]?.text !== 'cd') return from
    const target = only.words[1]?.text as string
    return union(from.map((folder) => (target.startsWith('/') ? target : `${folder}/${target}`)))
  }

  #group({ list, redirects }: Group, from: readonly string[]): void {
    if (redirects.length > 0) this.#command({ kind: 'command', words: [], variables: {}, redirects }, from)
    const [passed, failed] = [this.#passed, this.#failed]
    this.#passed = from
    this.#failed = []
    this.list(list)
    this.#passed = passed
    this.#failed = failed
  }

  #command({ words, variables, redirects }: Command, folders: readonly string[]): void {
    // It runs nothing: also where it stands for `F=src`.
    if (words.length === 1 && words[0]?.text === ':' && redirects.length === 0) return
    const command: FoundCommand = {
      words,
      text: showWords(words.map(({ text }) => text)),
      redirects: redirects.flatMap(filesOf),
      variables,
      folders,
    }
    this.#found.push(command, ...hintsIn(command))
  }
}

function filesOf(redirect: Redirect): readonly FoundRedirect[] {
  if (redirect.kind === 'copy' || redirect.kind === 'text') return []
  return [{ path: redirect.path, kind: redirect.kind === 'read' ? 'read' : 'write' }]
}

/** Too many are as good as anywhere. */
function union(...sets: readonly (readonly string[])[]): readonly string[] {
  const all = [...new Set(sets.flat())]
  return all.length > mostFolders ? [...all.slice(0, mostFolders), '/'] : all
}
