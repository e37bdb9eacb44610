import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isInside, realPathIfExists } from '@cadre/disk'
import { moduleFiles } from '@cadre/home'
import type { Hook } from './hook.ts'

/** A project file that a hook runs, with its content when the hook was read. */
export interface HookScript {
  readonly path: string
  /** Absent if the file did not exist. */
  readonly sha256?: string
}

const maxScripts = 500
/** For files that are too large, or run too many others: it never equals a digest, so the hook never runs. */
const unknown = 'unknown'

const endings = /\.(?:sh|bash|zsh|fish|[cm]?[jt]s|py|rb|pl|php|ps1|cmd|bat|lua|awk|jq)$/i

/**
 * Returns the project scripts that a command names, in any folder where it may run, and the files that these import or
 * start. Includes missing files that are named like a script, because a file created there later would run. Excludes files
 * that a hook only reads or writes.
 */
export function scriptsOf(
  { action, cwd }: Pick<Hook, 'action' | 'cwd'>,
  project: string,
): readonly HookScript[] {
  if (action.kind !== 'command') return []
  const root = realPathIfExists(project) ?? project
  const folders = foldersOf(action, cwd, project)
  const found = new Map<string, HookScript>()
  for (const word of wordsOf(action, project)) {
    for (const folder of folders) {
      const at = path.resolve(folder, word)
      if (found.has(at) || !isInside(project, at)) continue
      if (found.size >= maxScripts) return [{ path: project, sha256: unknown }]
      const real = realPathIfExists(at)
      if (real === undefined) {
        if (endings.test(word)) found.set(at, { path: at })
      } else if (isInside(root, real) && isScript(word, real)) {
        const [own, ...others] = moduleFiles(real, folders) ?? []
        found.set(at, { path: at, sha256: own?.sha256 ?? unknown })
        for (const other of others)
          if (!found.has(other.path) && (other.sha256 !== undefined || isInside(root, other.path)))
            found.set(other.path, other)
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns the problem with the first script that has changed. */
export async function describeScriptChange(scripts: readonly HookScript[]): Promise<string | undefined> {
  for (const { path: at, sha256 } of scripts) {
    const now = await readFile(at).then(digestOf, () => undefined)
    if (now !== sha256)
      return sha256 === unknown
        ? `${at} is too large, or runs too many files, for Cadre to detect changes`
        : `${at} changed after this run started`
  }
  return undefined
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function isScript(word: string, real: string): boolean {
  try {
    if (!statSync(real).isFile()) return false
    return endings.test(word) || startOf(real) === '#!'
  } catch {
    return false
  }
}

function startOf(real: string): string {
  const handle = openSync(real, 'r')
  try {
    const bytes = Buffer.alloc(2)
    readSync(handle, bytes, 0, 2, 0)
    return bytes.toString()
  } finally {
    closeSync(handle)
  }
}

type Command = { readonly command: string; readonly args?: readonly string[] }

/**
 * Returns the words of a command that may name files, with variables for the project folder replaced. A hook must not run a script that this
 * misses, so a line that can be read in two ways yields the words of both.
 */
export function wordsOf(command: Command, project: string): string[] {
  const line = markedLine(command, project)
  const parts = withoutRedirections(line.replaceAll('\\', '/')).split(/[\s"'`;|&()<>=]+/)
  const exact = (command.args ?? []).map(withMark)
  return [...new Set([...parts, ...shellWords(withoutRedirections(line)), ...exact])]
    .filter((word) => word !== '' && word.length < 1_000 && !word.includes('\0') && !/[*?$]/.test(word))
    .map((word) => word.replaceAll(mark, () => project))
}

/** The folders in which a command may be when it names a script. */
function foldersOf(command: Command, cwd: string | undefined, project: string): string[] {
  const whole = (text: string) => text.replaceAll(mark, () => project)
  const start = cwd === undefined ? project : path.resolve(project, whole(withMark(cwd)))
  const words = shellWords(markedLine(command, project)).filter((word) => !word.startsWith('-'))
  const entered = words.filter(
    (word, index) => /^(?:cd|pushd)$/.test(words[index - 1] ?? '') && !/[$*?]/.test(word),
  )
  return [...new Set([project, start, ...entered.map((folder) => path.resolve(start, whole(folder)))])]
}

/** Stands for the project folder while a line is read, because its path may contain spaces and quotes. */
const mark = '\u0001'

function markedLine({ command, args = [] }: Command, project: string): string {
  return withMark([command, ...args].join(' ')).replaceAll(project, () => mark)
}

function withMark(text: string): string {
  return text.replaceAll(
    /\$\{C(?:LAUDE|ADRE)_PROJECT_DIR:-[^}]*\}|\$\{?C(?:LAUDE|ADRE)_PROJECT_DIR\}?|\$\(pwd\)|\$\{?PWD\}?|\$\(git rev-parse --show-toplevel\)/g,
    mark,
  )
}

function withoutRedirections(line: string): string {
  return line.replaceAll(/\d?>>?&?\s*(?:"[^"]*"|'[^']*'|[^\s;&|()<>]+)/g, ' ')
}

/**
 * The words as a shell reads them: `"$CLAUDE_PROJECT_DIR"/my\ check.sh` is one word. A word that contains spaces, quotes or
 * other syntax can be a command, as after `sh -c`, so its own words follow it.
 */
function shellWords(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;&|(){}<>"'\\`])+/gs) ?? []
  return words
    .map(unquoted)
    .flatMap((word) => (/[\s;&|(){}<>"'\\`]/.test(word) ? [word, ...shellWords(word)] : [word]))
}

function unquoted(word: string): string {
  return word.replaceAll(
    /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
  )
}
