import { readdirSync } from 'node:fs'
import path from 'node:path'
import { cleanLine } from '../../output/clean-text.ts'
import type { FileIndex } from './file-index.ts'

export interface Suggestion {
  /** The text that replaces the typed one, including what follows it. */
  readonly word: string
  readonly about?: string | undefined
}

/**
 * Returns completions of the text before the cursor: words that replace its last `length` characters. `isAsked`: the person
 * requested it, so ignored files are included.
 */
export type Completer = (
  before: string,
  isAsked: boolean,
) => { readonly suggestions: readonly Suggestion[]; readonly length: number }

const maxSuggestions = 50
const hidden = /^(?:\.git|node_modules)$/

export interface CompleteOptions {
  readonly workspace: string
  /** Commands, without the slash. */
  readonly commands: () => readonly { readonly name: string; readonly about: string }[]
  /** Agents, as they are addressed. */
  readonly agents: () => readonly string[]
  readonly files: Pick<FileIndex, 'like'>
}

/** Completes commands at the start of a message, and agents and paths after an `@`. */
export function createCompleter({ workspace, commands, agents, files }: CompleteOptions): Completer {
  return (before, isAsked) => {
    const command = /^\/\S*$/.exec(before)?.[0]
    if (command !== undefined) {
      const all = commands().map(({ name, about }) => ({ word: `/${name} `, about }))
      return {
        suggestions: all.filter(({ word }) => startsWithIgnoringCase(command, word)),
        length: command.length,
      }
    }
    const mention = /(?:^|\s)(@"?[^\s"]*)$/.exec(before)?.[1]
    if (mention === undefined) return { suggestions: [], length: 0 }
    const named = mention === before ? agents().filter((word) => startsWithIgnoringCase(mention, word)) : []
    const written = mention.replace(/^@"?/, '')
    const listed = files.like(written, maxSuggestions)
    const paths = listed.length === 0 && isAsked ? pathsWithPrefix(written, workspace) : listed
    const suggestions = [
      ...named.map((word) => ({ word, about: 'agent' })),
      ...paths.map((file) => ({ word: mentionOf(file) })),
    ]
    return { suggestions, length: mention.length }
  }
}

function startsWithIgnoringCase(beginning: string, word: string): boolean {
  return word.toLowerCase().startsWith(beginning.toLowerCase())
}

/** A folder is not complete: its files come next. */
function mentionOf(file: string): string {
  const written = /\s/.test(file) ? `@"${file}"` : `@${file}`
  return file.endsWith('/') ? written : `${written} `
}

/** The current contents of a folder, including ignored files. */
function pathsWithPrefix(beginning: string, workspace: string): string[] {
  const folder = beginning.slice(0, beginning.lastIndexOf('/') + 1)
  const start = beginning.slice(folder.length)
  try {
    return readdirSync(path.resolve(workspace, folder), { withFileTypes: true })
      .filter(
        ({ name }) =>
          startsWithIgnoringCase(start, name) &&
          !hidden.test(name) &&
          (start !== '' || !name.startsWith('.')),
      )
      .filter(({ name }) => cleanLine(name) === name)
      .slice(0, maxSuggestions)
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .sort()
  } catch {
    return []
  }
}
