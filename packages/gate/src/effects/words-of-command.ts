import path from 'node:path'
import type { JudgedCall } from '@cadre/core'
import { understandLine } from '../commands/understand-line.ts'

/** A word of a command that may name a path, and the folder it is relative to. */
export interface CommandWord {
  readonly path: string
  readonly base: string
}

/**
 * Returns every word of a command that may name a path, for each folder its programs may run in. Options with an attached
 * path (`--file=a`, `-fa`), revisions (`HEAD:a`) and response files (`@a`) are returned as written and as the path alone.
 */
export function wordsOfCommand({ tool, input }: JudgedCall, workspace: string): readonly CommandWord[] {
  const { command, cwd } = (input ?? {}) as { command?: unknown; cwd?: unknown }
  const start = typeof cwd === 'string' ? path.resolve(workspace, cwd) : workspace
  const line = typeof command === 'string' ? understandLine(command) : undefined
  const found = line?.commands.flatMap(({ words, redirects }) => [
    ...words.map(({ text }) => text),
    ...redirects.map((redirect) => redirect.path),
  ])
  const listed = tool.commands?.(input).list.flat() ?? []
  const words = [...new Set([...listed, ...(found ?? [])].flatMap(pathsIn))]
  const bases = [
    ...new Set(
      (line?.commands.flatMap(({ folders }) => folders) ?? ['.']).map((folder) =>
        path.resolve(start, folder),
      ),
    ),
  ]
  return [
    ...bases.slice(0, mostFolders).flatMap((base) => words.map((word) => ({ path: word, base }))),
    ...bases.map((base) => ({ path: base, base })),
  ]
}

const mostFolders = 10
const mostLetters = 4_096

function pathsIn(word: string): string[] {
  if (word === '' || word.length > mostLetters) return []
  const parts = word.split(/[=:,]/)
  const glued = /^-[A-Za-z](.+)$/.exec(word)?.[1]
  return [word, ...parts, ...(glued === undefined ? [] : [glued])]
    .map((part) => part.replace(/^[@<>]+/, ''))
    .filter((part) => part !== '' && !/^-/.test(part))
}
