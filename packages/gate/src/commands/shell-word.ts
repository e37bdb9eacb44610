import type { Word, WordPart } from 'unbash'

/** A word of a command, with what is known of its value before it runs. */
export interface ShellWord {
  readonly value: string
  /**
   * `plain`: exactly this. `glob`: names of files that fit it. `open`: whatever an expansion gives.
   */
  readonly kind: 'plain' | 'glob' | 'open'
  /** It begins with a `~` that the shell replaces. */
  readonly tilde?: true
}

/** A word that is what it says. */
export function plainWord(value: string): ShellWord {
  return { value, kind: 'plain' }
}

/** Never re-joined and never split again: what is one word for the shell is one word here. */
export function readWord(word: Word): ShellWord {
  const { parts, value } = word
  const tilde = word.text.startsWith('~') ? ({ tilde: true } as const) : {}
  if (parts === undefined || parts.length === 0) return { value, kind: 'plain', ...tilde }
  const [only] = parts
  // The name of a pipe whose other end is a command that is looked at by itself.
  if (parts.length === 1 && only?.type === 'ProcessSubstitution') return plainWord('/dev/fd/63')
  const kinds = parts.map(kindOf)
  const kind = kinds.includes('open') ? 'open' : kinds.includes('glob') ? 'glob' : 'plain'
  return { value, kind, ...tilde }
}

function kindOf(part: WordPart): ShellWord['kind'] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return 'plain'
    case 'DoubleQuoted':
      return part.parts.every((child) => child.type === 'Literal') ? 'plain' : 'open'
    case 'Glob':
    case 'ExtendedGlob':
      return part.parts?.some((child) => kindOf(child) === 'open') ? 'open' : 'glob'
    default:
      return 'open'
  }
}

/** As a person would write it. Words that could be taken for several are quoted. */
export function showWords(words: readonly string[]): string {
  return words.map(showWord).join(' ')
}

function showWord(word: string): string {
  if (/^[\w@%+=:,./~^*?{}[\]$#!-]+$/u.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
