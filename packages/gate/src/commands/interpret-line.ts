import type { CommandsOfCall } from '@cadre/core'
import { type CommandLine, type FoundCommand, type FoundRedirect, foundCommand } from './command-line.ts'
import { type Danger, findDanger, hereDocumentsIn } from './find-danger.ts'
import { commandHintsIn, findCommandHints, findVisibleCommands, shellNames } from './find-visible-commands.ts'
import { refuseHiddenCharacters } from './hidden-characters.ts'
import { type List, type Redirect, type Stage, stepsIn } from './line/line.ts'
import { readLine } from './line/read-line.ts'
import { networkPrograms } from './programs/known-programs.ts'
import { appearsToRunDownloadedCode, runsDownloadedCode } from './runs-downloaded-code.ts'

const maxCachedLength = 16 * 1_024
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
  if (source.length > maxCachedLength) return line
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
  const line: CommandLine =
    read.kind === 'plain'
      ? { commands: commandsIn(read.list), plan: read.list }
      : { commands: findVisibleCommands(source), why: read.why }
  const danger = dangerIn(source, line)
  if (danger === undefined) return line
  return { ...line, refused: { rule: `dangerous: ${danger.what}`, reason: danger.reason } }
}

function dangerIn(source: string, line: CommandLine): Danger | undefined {
  const { plan, commands } = line
  const mayDefine = plan === undefined || commands.some(({ program }) => shellNames.has(program))
  if (mayDefine && isForkBomb(source))
    return { what: 'fork bomb', reason: 'the command starts copies of itself without limit' }
  const fetches = commands.some(({ program }) => networkPrograms.has(program))
  if (plan === undefined ? appearsToRunDownloadedCode(source) : fetches && runsDownloadedCode(plan))
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

function commandsIn(list: List): readonly FoundCommand[] {
  const found: FoundCommand[] = []
  follow(list, ['.'], found)
  if (!found.some(({ program }) => shellNames.has(program))) return found
  // Input of a shell in the line may be commands.
  const words = found.flatMap(({ texts }) => texts.slice(1).filter((text) => text.includes(' ')))
  const read = [...hereDocumentsIn(list), ...words, ...pipedTexts(list)]
  return [...found, ...read.flatMap((text) => findCommandHints(text))]
}

/** Returns what `echo rm -rf / | sh` prints. */
function pipedTexts(list: List): readonly string[] {
  return stepsIn(list).flatMap(({ stages }) =>
    stages.slice(0, -1).flatMap((stage) => {
      const [name, ...words] = stage.kind === 'group' ? [] : stage.words.map(({ text }) => text)
      return name === 'echo' ? [words.filter((word) => !/^-[neE]+$/.test(word)).join(' ')] : []
    }),
  )
}

/**
 * Follows `cd` through a plain line: computes the folders in which each command may run, depending on which commands
 * succeeded before it.
 */
function follow(list: List, start: readonly string[], found: FoundCommand[]): void {
  // The possible folders after the last step: if it succeeded, and if it failed.
  let passed = start
  let failed: readonly string[] = []
  for (const { after, stages } of list) {
    const from = after === '&&' ? passed : after === '||' ? failed : mergeFolders(passed, failed)
    for (const stage of stages) {
      add(stage, from, found)
      // A `cd` in a group has no effect after it.
      if (stage.kind === 'group') follow(stage.list, from, found)
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

function add(stage: Stage, folders: readonly string[], found: FoundCommand[]): void {
  const { words, variables } = stage.kind === 'group' ? { words: [], variables: {} } : stage
  const runsNothing = words.length === 0 || (words.length === 1 && words[0]?.text === ':')
  if (runsNothing && stage.redirects.length === 0) return
  const command = foundCommand(words, { redirects: stage.redirects.flatMap(filesOf), variables, folders })
  found.push(command)
  for (const hint of commandHintsIn(command)) found.push(hint)
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
