import { createHash } from 'node:crypto'
import path from 'node:path'
import { boundTo } from './bound-to.ts'
import type { FoundCommand } from './command-line.ts'
import type { LineRequest } from './line-request.ts'
import { showWords } from './show-words.ts'

/** Begins every grant for a command. What follows it, up to the first separator, are the words. */
const grantSign = 'command: '
const grantSeparator = ' · '

/**
 * What a person permits for the rest of a session: these words, of this program file, in this folder, with these
 * variables. Files of the workspace that it would run, and what it is fed, are known by their content. `fed`: the line, where
 * one of its programs reads what another prints, or a here-document.
 */
export function grantOf(command: FoundCommand, request: LineRequest, fed: string | undefined): string {
  const { workspace, cwd, resolve } = request
  const program = resolve(command.texts[0] ?? '')
  const folders = command.folders.map((folder) => path.relative(workspace, path.resolve(cwd, folder)) || '.')
  const variables = Object.entries(command.variables).map(([key, value]) => `${key}=${value}`)
  const redirects = command.redirects.map(({ kind, path: file }) => `${kind === 'read' ? '<' : '>'} ${file}`)
  const file = program.kind === 'missing' ? 'no program' : program.file
  // What it runs besides itself, and what it is fed, is no less a part of it than its words.
  const { boundTo: files = [] } = boundTo({ commands: [command] }, request)
  const content = [...files, ...(fed === undefined ? [] : [`line ${fed}`])]
  const digest =
    content.length === 0 ? [] : [`sha256 ${createHash('sha256').update(content.join('\n')).digest('hex')}`]
  return [
    `${grantSign}${showWords(command.texts)}`,
    file,
    `in ${[...new Set(folders)].join(', ')}`,
    ...variables,
    ...redirects,
    ...digest,
  ].join(grantSeparator)
}

/** The words of such a grant, as a pattern of an allowlist has them. */
export function wordsOfGrant(grant: string): string {
  return grant.startsWith(grantSign) ? (grant.slice(grantSign.length).split(grantSeparator)[0] ?? '') : ''
}
