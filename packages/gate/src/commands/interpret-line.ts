import type { CommandsOfCall } from '@cadre/core'
import { type CommandLine, type FoundCommand, type FoundRedirect, foundCommand } from './command-line.ts'
import { type Danger, findDanger, hereDocumentsIn } from './find-danger.ts'
import {
  commandHintsIn,
  findCommandHints,
  findVisibleCommands,
  type Nesting,
  outermost,
  shellNames,
} from './find-visible-commands.ts'
import { refuseHiddenCharacters } from './hidden-characters.ts'
import type { List, Redirect, Stage } from './line/line.ts'
import { readLine } from './line/read-line.ts'
import { inputFrom, type PipedInput } from './piped-input.ts'
import { programOf } from './program-name.ts'
import { appearsToRunDownloadedCode, runsDownloadedCode } from './runs-downloaded-code.ts'
import { startedBy } from './started-by.ts'

/** Several rules inspect the same call. The result depends only on the line, so it can be cached. */
const recent = new Map<string, CommandLine>()

/**
 * Finds the programs that a line would start. For a plain line the result is exact. For a line that needs a shell, it
 * contains only what is visible in the text: enough to refuse the line or to rate its risk, never to allow it. Never
 * throws.
 */
export function interpretLine(source: string): CommandLine {
  const known = recent.get(source)
  if (known !== undefined) return known
  const line = understand(source)
  if (recent.size >= 16) recent.delete(recent.keys().next().value as string)
  recent.set(source, line)
  return line
}

/** Summarizes a command line for rules that match commands by their words. */
export function commandsOfCall(source: string): CommandsOfCall {
  const { commands, plan, refused } = interpretLine(source)
  return {
    list: commands.map(({ texts }) => texts).filter((texts) => texts.length > 0),
    sure: plan !== undefined && refused === undefined,
  }
}

function understand(source: string): CommandLine {
  const hidden = refuseHiddenCharacters(source)
  if (hidden !== undefined)
    return { commands: [], why: hidden, refused: { rule: 'characters', reason: hidden } }
  const read = readLine(source)
  const nesting = outermost()
  const found = read.kind === 'plain' ? commandsIn(read.list, nesting) : findVisibleCommands(source, nesting)
  const commands = [...found, ...inputHintsIn(found, nesting)]
  const line: CommandLine =
    read.kind === 'plain' ? { commands, plan: read.list } : { commands, why: read.why }
  const danger = dangerIn(source, line)
  if (danger === undefined) return line
  return { ...line, refused: { rule: `dangerous: ${danger.what}`, reason: danger.reason } }
}

function dangerIn(source: string, line: CommandLine): Danger | undefined {
  const { plan, commands } = line
  const mayDefine = plan === undefined || commands.some(({ program }) => shellNames.has(program))
  if (mayDefine && isForkBomb(source))
    return { what: 'fork bomb', reason: 'the command starts copies of itself without limit' }
  if (runsDownloadedCode(commands) || (plan === undefined && appearsToRunDownloadedCode(source)))
    return { what: 'curl | sh', reason: 'the command runs downloaded code' }
  return findDanger(line, source)
}

const maxFunctions = 20

/** Detects a function that starts itself in a pipe or in the background: `f() { f | f & }`. Takes linear time. */
function isForkBomb(line: string): boolean {
  const source = line.replace(/\bfunction\s{1,20}([^\s;|&(){}'"]{1,200})\s{0,20}\{/g, '$1() {')
  let open = source.indexOf('()')
  for (let count = 0; open >= 0 && count < maxFunctions; count++, open = source.indexOf('()', open + 2)) {
    const name = /[^\s;|&(){}'"]{1,200}$/.exec(source.slice(Math.max(0, open - 220), open).trimEnd())?.[0]
    const body = /^\s{0,20}(?:\{[^}]*|\([^)]*)/.exec(source.slice(open + 2, open + 2_000))?.[0]
    if (name === undefined || body === undefined) continue
    const starts = body.split(/[\s;|&{(]+/)
    if (starts.includes(name) && /[|&]/.test(body.slice(body.indexOf(name) + name.length))) return true
  }
  return false
}

function commandsIn(list: List, nesting: Nesting): readonly FoundCommand[] {
  const commands: FoundCommand[] = []
  follow(list, ['.'], commands)
  const found = commands.flatMap((command) => [command, ...commandHintsIn(command, nesting)])
  if (!found.some(({ program }) => shellNames.has(program))) return found
  // Texts for a shell in the line may be commands.
  const words = found.flatMap(({ texts }) => texts.slice(1).filter((text) => text.includes(' ')))
  const read = [...hereDocumentsIn(list), ...words]
  return [...found, ...read.flatMap((text) => findCommandHints(text, nesting))]
}

/** Finds the commands that `echo reboot | sh` and similar pipelines run. */
function inputHintsIn(commands: readonly FoundCommand[], nesting: Nesting): readonly FoundCommand[] {
  const inputs = new Map<string, FoundCommand>()
  for (const command of commands)
    if (command.input !== undefined && readsCommands(command)) inputs.set(command.input.text, command)
  if (nesting.depth > 3) return []
  return [...inputs].flatMap(([text, { folders }]) => {
    const hints = findCommandHints(text, nesting, folders)
    return [...hints, ...inputHintsIn(hints, { ...nesting, depth: nesting.depth + 1 })]
  })
}

function readsCommands({ program, texts }: FoundCommand): boolean {
  const words = shellNames.has(program) ? texts : startedBy(texts).started.slice(0, 1)
  return words.some((word) => commandReaders.test(programOf(word)))
}

const commandReaders = /^(?:(?:r?ba|da|a|k|z|mk|ya|fi|c|tc)?sh|su|ssh|at|batch|parallel|cmd|powershell|pwsh)$/

/**
 * Follows `cd` through a plain line: computes the folders in which each command may run, depending on which commands
 * succeeded before it.
 */
function follow(list: List, start: readonly string[], found: FoundCommand[], outer?: PipedInput): void {
  // The possible folders after the last step: if it succeeded, and if it failed.
  let passed = start
  let failed: readonly string[] = []
  for (const { after, stages } of list) {
    const from = after === '&&' ? passed : after === '||' ? failed : mergeFolders(passed, failed)
    let input = outer
    for (const stage of stages) {
      const before = found.length
      add(stage, { folders: from, ...(input && { input }) }, found)
      // A `cd` in a group has no effect after it.
      if (stage.kind === 'group') follow(stage.list, from, found, input)
      const last = found.slice(before).at(-1)
      input = last && inputFrom(last)
    }
    const to = foldersBehind(stages, from)
    passed = after === '||' ? mergeFolders(to, passed) : to
    failed = after === '&&' ? mergeFolders(from, failed) : from
  }
}

/** A `cd` in a pipeline has no effect after it. */
function foldersBehind(stages: readonly Stage[], from: readonly string[]): readonly string[] {
  const only = stages[0]
  if (stages.length > 1 || only?.kind !== 'command' || only.words[0]?.text !== 'cd') return from
  const target = only.words[1]?.text as string
  const all = from.map((folder) => (target.startsWith('/') ? target : `${folder}/${target}`))
  return mergeFolders([], all)
}

function add(stage: Stage, place: Pick<FoundCommand, 'folders' | 'input'>, found: FoundCommand[]): void {
  const { words, variables } = stage.kind === 'group' ? { words: [], variables: {} } : stage
  const runsNothing = words.length === 0 || (words.length === 1 && words[0]?.text === ':')
  if (runsNothing && stage.redirects.length === 0) return
  found.push(foundCommand(words, { redirects: stage.redirects.flatMap(filesOf), variables, ...place }))
}

function filesOf(redirect: Redirect): readonly FoundRedirect[] {
  if (redirect.kind === 'copy' || redirect.kind === 'text') return []
  return [{ path: redirect.path, kind: redirect.kind === 'read' ? 'read' : 'write' }]
}

const maxFolders = 8

/** If there are too many, the folder counts as unknown. */
function mergeFolders(some: readonly string[], others: readonly string[]): readonly string[] {
  if (some === others || others.length === 0) return some
  const all = [...new Set([...some, ...others])]
  return all.length > maxFolders ? [...all.slice(0, maxFolders), '/'] : all
}
