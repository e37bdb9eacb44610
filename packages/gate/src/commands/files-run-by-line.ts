import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { followLinks } from '../paths/follow-links.ts'
import { entryAt, statsAt } from '../paths/with-lookup-cache.ts'
import type { CommandLine, FoundCommand } from './command-line.ts'
import { expandGlob } from './expand-glob.ts'
import type { LineRequest } from './line-request.ts'
import { isListedReader } from './programs/describe-command.ts'

const maxFiles = 300
const maxBytes = 20_000_000

/**
 * Returns the workspace files that a line would run, with a digest of their content, and the targets of its folders and
 * redirects: an approval covers exactly these. If one program of the line is not a listed reader, every file that any word
 * names is included, because a program may run what a reader prints. Files that a script uses internally are unknown.
 */
export function filesRunByLine(
  { commands, plan }: CommandLine,
  { workspace, cwd }: LineRequest,
): { readonly boundTo?: readonly string[] } {
  const found = new Map<string, string>()
  const reads = ({ texts, described }: FoundCommand) => texts.length === 0 || isListedReader(described)
  const isReading = plan !== undefined && commands.every(reads)
  for (const { texts, program, folders, redirects } of commands) {
    const names = isReading ? [] : [...texts.flatMap(filesNamed), ...readBy(program)]
    for (const folder of folders) {
      const at = path.resolve(cwd, folder)
      if (folder !== '.') addPlace(at)
      for (const redirect of redirects) {
        addPlace(path.resolve(at, redirect.path))
        if (!isReading && redirect.kind === 'read') addFile(path.resolve(at, redirect.path))
      }
      for (const name of names) addNamed(at, name)
    }
  }
  return found.size === 0 ? {} : { boundTo: [...found].map(([file, what]) => `${file} ${what}`).sort() }

  function addNamed(folder: string, name: string): void {
    const paths = /[*?[]/.test(name) ? expandGlob(name, folder).paths : [name]
    for (const one of paths) {
      const file = path.resolve(folder, one)
      for (const ending of endings) addFile(file + ending)
      for (const inner of statsAt(file)?.isDirectory() && isInside(workspace, file) ? folderEntryFiles : [])
        addFile(path.join(file, inner))
    }
  }

  function addFile(file: string): void {
    if (found.size >= maxFiles || file.includes('\0') || !isInside(workspace, file)) return
    if (statsAt(file, entryAt)?.isDirectory() === false)
      found.set(file, `sha256 ${fileDigest(file) ?? 'none'}`)
  }

  function addPlace(place: string): void {
    const followed = followLinks(place)
    if (found.size < maxFiles)
      found.set(`${place}:`, followed.kind === 'followed' ? followed.real : followed.code)
  }
}

/** `node x` starts `x.js`, and `python3 -m m` starts `m.py`. */
const endings = ['', '.js', '.mjs', '.cjs', '.ts', '.py', '.sh']
/** Files that start when a folder is named. */
const folderEntryFiles = 'package.json Makefile makefile GNUmakefile index.js index.mjs __main__.py'.split(
  ' ',
)

/** The word itself, and the parts after `=` and after the current folder. */
function filesNamed(text: string): readonly string[] {
  if (text.length > 4_096) return []
  const plain = text.replace(/^\$(?:PWD|\{PWD\})\//, './')
  return plain.includes('=') ? [plain, plain.slice(plain.indexOf('=') + 1)] : [plain]
}

/** Files that these programs read by default. */
function readBy(program: string): readonly string[] {
  if (/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/.test(program)) return ['package.json']
  return program === 'make' || program === 'gmake' ? ['Makefile', 'makefile', 'GNUmakefile'] : []
}

/** Returns the SHA-256 of a regular file, or undefined if it is not one or cannot be read. */
function fileDigest(file: string): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(handle)
    if (!stats.isFile() || stats.size > maxBytes) return undefined
    return createHash('sha256').update(readFileSync(handle)).digest('hex')
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
