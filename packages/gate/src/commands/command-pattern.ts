import type { Decision } from './allowlist.ts'
import { formatWords } from './format-words.ts'
import { nameForAllowlist } from './program-name.ts'
import { type Fault, readRegex } from './regex-pattern.ts'

/** The longest word that is compared with a `*`. */
const maxLength = 1_000

const notWords =
  'a pattern consists of the words of one command, without quotes and operators. Write a /regex/, or set matchCommandLine'

/** A parsed pattern. `specific` orders matching patterns: more words, then more characters. */
export interface CommandPattern {
  /** `unsure`: too long to compare. */
  fits(words: readonly string[], line: string): boolean | 'unsure'
  /** True if the pattern itself names one of these options. */
  names(options: readonly string[]): boolean
  readonly specific: number
  /** Set if only commands with this name can match. */
  readonly program?: string
}

export interface PatternRequest {
  readonly text: string
  readonly decision: Decision
  readonly matchCommandLine: boolean
}

/** Parses the key of an entry. Anything that is not recognised is an error, never a wider pattern. */
export function readCommandPattern(request: PatternRequest): CommandPattern | Fault {
  const text = request.text.trim()
  if (text === '') return { fault: 'a pattern must not be empty' }
  // `/bin/ls` is a program, not an expression with flags.
  const isPath = /^\/(?:usr\/)?(?:local\/)?s?bin\/[\w.+-]+(?:\s|$)/.test(text)
  if (!isPath && /^\/.+\/[a-z]*$/s.test(text)) return regexPattern(text, request)
  if (request.matchCommandLine) return linePattern(text, request.decision)
  if (/[;&|<>`\n()"'\\]|\$[({]/.test(text)) return { fault: notWords }
  const words = text.split(/\s+/)
  if (words.some((word) => word.split('*').length > 4)) return { fault: 'a word has more than three *' }
  if (request.decision === 'allow' && /^[*?]/.test(words[0] as string))
    return { fault: 'the pattern would allow every program' }
  return wordPattern(words)
}

/**
 * Compares word by word from the start of the command. A final `*` matches all remaining words; any other `*` matches one
 * word or a part of it.
 */
function wordPattern(written: readonly string[]): CommandPattern {
  const isRest = written.length > 1 && written.at(-1) === '*'
  const words = isRest ? written.slice(0, -1) : written
  const tests = words.map((word) => (word.includes('*') ? globOf(word, '.*') : word))
  const letters = words.join('').replaceAll('*', '').length
  const [program = ''] = words
  return {
    ...(!program.includes('*') && { program: nameForAllowlist(program) }),
    specific: words.filter((word) => word !== '*').length * 1_000 + letters,
    fits(command) {
      if (command.length < tests.length) return false
      return tests.every((test, at) => {
        const word = at === 0 ? nameForAllowlist(command[0] as string) : (command[at] as string)
        if (typeof test === 'string') return test === word || (at === 0 && test === command[0])
        return word.length <= maxLength && test.test(word)
      })
    },
    names: (options) =>
      words.slice(1).some((word) => {
        const start = word.length > 2 && word.endsWith('*') ? word.slice(0, -1) : undefined
        const isNamed = (option: string) => option === word || option === word.split('=')[0]
        return options.some((one) => isNamed(one) || (start !== undefined && one.startsWith(start)))
      }),
  }
}

/** Compares the whole line character by character. In an `allow`, a `*` matches within one word only. */
function linePattern(text: string, decision: Decision): CommandPattern {
  const regex = globOf(text, decision === 'allow' ? '[\\w./:=@%+,-]*' : '.*')
  return {
    specific: 500_000 + text.length,
    fits: (_, line) => (line.length > maxLength ? 'unsure' : regex.test(line.trim())),
    names: (options) => text.split(/\s+/).some((word) => options.includes(word)),
  }
}

function regexPattern(text: string, { decision, matchCommandLine }: PatternRequest): CommandPattern | Fault {
  const read = readRegex(text)
  if ('fault' in read) return read
  return {
    // Regular expressions cannot be ordered by specificity: with `ask` they beat every `allow`, with `allow` they beat no
    // `ask`.
    specific: decision === 'allow' ? 0 : 1_000_000,
    fits(words, line) {
      const subject = matchCommandLine
        ? line.trim()
        : formatWords([nameForAllowlist(words[0] ?? ''), ...words.slice(1)])
      if (subject.length > read.maxLength) return decision === 'allow' ? false : 'unsure'
      const found = read.regex.exec(subject)
      if (found === null || decision !== 'allow') return found !== null
      const end = found[0].length
      // An `allow` must match from the start of the command to the end of a word; for a line, all of it.
      return (
        found.index === 0 &&
        (end === subject.length || (!matchCommandLine && (subject[end] === ' ' || subject[end - 1] === ' ')))
      )
    },
    names: (options) => options.some((option) => /^-/.test(option) && text.includes(option)),
  }
}

function globOf(text: string, star: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
  return new RegExp(`^${parts.join(star)}$`, 's')
}
