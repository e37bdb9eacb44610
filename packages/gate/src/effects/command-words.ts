import path from 'node:path'
import type { JudgedCall } from '@cadre/core'
import { repositoryOf } from '@cadre/disk'
import { interpretLine } from '../commands/interpret-line.ts'

/** A word of a command that may name a path, and the folder it is relative to. */
export interface CommandWord {
  readonly path: string
  readonly base: string
}

/**
 * Returns every word of a command that may name a path, for each folder its programs may run in. Options with an attached
 * path (`--file=a`, `-fa`), revisions (`HEAD:a`) and response files (`@a`) are returned as written and as the path alone.
 */
export function commandWords({ tool, input }: JudgedCall, workspace: string): readonly CommandWord[] {
  const { command, cwd } = (input ?? {}) as { command?: unknown; cwd?: unknown }
  const start = typeof cwd === 'string' ? path.resolve(workspace, cwd) : workspace
  const line = typeof command === 'string' ? interpretLine(command) : undefined
  const found = line?.commands.flatMap(({ words, redirects }) => [
    ...words.map(({ text }) => text),
    ...redirects.map((redirect) => redirect.path),
  ])
  const listed = tool.commands?.(input).list.flat() ?? []
  const written = [...new Set([...listed, ...(found ?? [])])]
  const words = [...new Set(written.flatMap(pathsIn))]
  const versioned = [...new Set(written.flatMap(revisionPaths))]
  const bases = [
    ...new Set(
      (line?.commands.flatMap(({ folders }) => folders) ?? ['.']).map((folder) =>
        path.resolve(start, folder),
      ),
    ),
  ]
  // git takes the path behind a revision from the top of the repository, whatever the folder is.
  const tops = versioned.length === 0 ? [] : [...new Set([workspace, repositoryOf(workspace) ?? workspace])]
  return [
    ...tops.flatMap((base) => versioned.map((word) => ({ path: word, base }))),
    ...bases.slice(0, maxFolders).flatMap((base) => words.map((word) => ({ path: word, base }))),
    ...bases.map((base) => ({ path: base, base })),
  ]
}

const maxFolders = 10
const maxLength = 4_096

/** `HEAD:a`, `:0:a`, and paths from the top: `:/a`, `:(top)a`. */
function revisionPaths(word: string): string[] {
  if (word.length > maxLength || /^-/.test(word)) return []
  const [, named] =
    /^:(?:\([^)]*\)|[/!^]+)(.+)$/s.exec(word) ?? /^[^:]*:(?:[0-3]:)?([^:].*)$/s.exec(word) ?? []
  return named === undefined ? [] : [named]
}

function pathsIn(word: string): string[] {
  if (word === '' || word.length > maxLength) return []
  const parts = word.split(/[=:,]/)
  const glued = /^-[A-Za-z](.+)$/.exec(word)?.[1]
  return [word, ...parts, ...(glued === undefined ? [] : [glued])]
    .map((part) => part.replace(/^[@<>]+/, ''))
    .filter((part) => part !== '' && !/^-/.test(part))
}
