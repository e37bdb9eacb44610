import path from 'node:path'
import type { FoundCommand } from './command-line.ts'
import { fileDigest } from './file-digest.ts'
import type { Program } from './resolve-program.ts'

/** Begins every grant for a command. What follows it, up to the first separator, are the words. */
export const grantSign = 'command: '
export const grantSeparator = ' · '

export interface GrantRequest {
  readonly workspace: string
  readonly cwd: string
  readonly resolve: (name: string) => Program
}

/**
 * What a person permits for the rest of a session: these words, of this program file, in this folder, with these
 * variables. A program of the workspace is also known by its content.
 */
export function grantOf(command: FoundCommand, { workspace, cwd, resolve }: GrantRequest): string {
  const [name = ''] = command.words.map(({ text }) => text)
  const program = resolve(name)
  const folders = command.folders.map((folder) => path.relative(workspace, path.resolve(cwd, folder)) || '.')
  const variables = Object.entries(command.variables).map(([key, value]) => `${key}=${value}`)
  const redirects = command.redirects.map(({ kind, path: file }) => `${kind === 'read' ? '<' : '>'} ${file}`)
  const file = program.kind === 'missing' ? 'no program' : program.file
  const content = program.kind === 'inside' ? [`sha256 ${fileDigest(program.file) ?? 'unreadable'}`] : []
  return [
    `${grantSign}${command.text}`,
    file,
    `in ${[...new Set(folders)].join(', ')}`,
    ...variables,
    ...redirects,
    ...content,
  ].join(grantSeparator)
}

/** The words of such a grant, as a pattern of an allowlist has them. */
export function wordsOfGrant(grant: string): string {
  return grant.startsWith(grantSign) ? (grant.slice(grantSign.length).split(grantSeparator)[0] ?? '') : ''
}
