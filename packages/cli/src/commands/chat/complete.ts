import { readdirSync } from 'node:fs'
import path from 'node:path'
import { cleanLine } from '../../output/clean-text.ts'

/** What the text before the cursor could become: words to put in place of its last `length` characters. */
export type Completer = (before: string) => { readonly words: readonly string[]; readonly length: number }

const most = 200
const hidden = /^(?:\.git|node_modules)$/

export interface CompleteOptions {
  readonly workspace: string
  /** Commands, without the slash. */
  readonly commands: () => readonly string[]
  /** Agents, as they are addressed. */
  readonly agents: () => readonly string[]
}

/** Completes commands at the beginning of a message, and agents and paths behind an `@`. */
export function createCompleter({ workspace, commands, agents }: CompleteOptions): Completer {
  return (before) => {
    const command = /^\/\S*$/.exec(before)?.[0]
    if (command !== undefined) {
      const words = commands().map((name) => `/${name} `)
      return { words: words.filter((word) => isBeginning(command, word)), length: command.length }
    }
    const mention = /(?:^|\s)(@"?[^\s"]*)$/.exec(before)?.[1]
    if (mention === undefined) return { words: [], length: 0 }
    const named = mention === before ? agents().filter((word) => isBeginning(mention, word)) : []
    return { words: [...named, ...pathsLike(mention.replace(/^@"?/, ''), workspace)], length: mention.length }
  }
}

function isBeginning(beginning: string, word: string): boolean {
  return word.toLowerCase().startsWith(beginning.toLowerCase())
}

function pathsLike(beginning: string, workspace: string): string[] {
  const folder = beginning.slice(0, beginning.lastIndexOf('/') + 1)
  const start = beginning.slice(folder.length)
  try {
    return readdirSync(path.resolve(workspace, folder), { withFileTypes: true })
      .filter(
        ({ name }) =>
          isBeginning(start, name) && !hidden.test(name) && (start !== '' || !name.startsWith('.')),
      )
      .filter(({ name }) => cleanLine(name) === name)
      .slice(0, most)
      .map((entry) => {
        const file = `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`
        const written = /\s/.test(file) ? `@"${file}"` : `@${file}`
        return entry.isDirectory() ? written : `${written} `
      })
      .sort()
  } catch {
    return []
  }
}
