import { createHash } from 'node:crypto'
import path from 'node:path'
import type { FoundCommand } from './command-line.ts'
import { filesRunByLine } from './files-run-by-line.ts'
import { formatWords } from './format-words.ts'
import type { LineRequest } from './line-request.ts'

/** The prefix of every grant for a command. The words follow, up to the first separator. */
const grantSign = 'command: '
const grantSeparator = ' · '

/**
 * Describes what a person permits for the rest of a session: these words, of this program file, in this folder, with these
 * variables. Workspace files that it would run, and its input, are identified by their content. `fed` is the line, if one
 * of its programs reads the output of another or a here-document.
 */
export function grantOf(command: FoundCommand, request: LineRequest, fed: string | undefined): string {
  const { workspace, cwd, resolve } = request
  const program = resolve(command.texts[0] ?? '')
  const folders = command.folders.map((folder) => path.relative(workspace, path.resolve(cwd, folder)) || '.')
  const variables = Object.entries(command.variables).map(([key, value]) => `${key}=${value}`)
  const redirects = command.redirects.map(({ kind, path: file }) => `${kind === 'read' ? '<' : '>'} ${file}`)
  const file = program.kind === 'missing' ? 'no program' : program.file
  // The files it runs and its input are part of the grant, like its words.
  const { boundTo: files = [] } = filesRunByLine({ commands: [command] }, request)
  const content = [...files, ...(fed === undefined ? [] : [`line ${fed}`])]
  const digest =
    content.length === 0 ? [] : [`sha256 ${createHash('sha256').update(content.join('\n')).digest('hex')}`]
  return [
    `${grantSign}${formatWords(command.texts)}`,
    file,
    `in ${[...new Set(folders)].join(', ')}`,
    ...variables,
    ...redirects,
    ...digest,
  ].join(grantSeparator)
}

/** Returns the words of such a grant, in the form of an allowlist pattern. */
export function grantWords(grant: string): string {
  return grant.startsWith(grantSign) ? (grant.slice(grantSign.length).split(grantSeparator)[0] ?? '') : ''
}
