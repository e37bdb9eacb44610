import type { Word } from '../line/line.ts'
import { Arguments } from './arguments.ts'
import { describeGit } from './describe-git.ts'
import { readArguments } from './read-arguments.ts'
import { otherReaders } from './read-others.ts'
import { questions, readers, sandboxedQuestions, versionQuestions, wrappers } from './readers.ts'
import { specIn } from './spec.ts'

/** What a command does, as far as its words tell. Nothing for a program whose options nobody has listed. */
export interface Described extends Readonly<Pick<Arguments, 'unlisted' | 'paths'>> {
  /** With listed words only, it reads and does nothing else. */
  readonly isReader: boolean
  /** It runs code of its own installation, such as npm does: only in a sandbox. */
  readonly needsSandbox?: true
  /** The command behind `timeout 60`. */
  readonly inner?: readonly Word[]
  /** The folder that `git -C` changes to. */
  readonly folder?: string
  /** The words without such options: what patterns are compared with. */
  readonly subject?: readonly string[]
}

/** It reads and does nothing else: its program only reads, and all its words are listed. */
export function isListedReader(described: Described | undefined): described is Described {
  return described?.isReader === true && described.unlisted.length === 0
}

export function describeCommand(words: readonly Word[]): Described | undefined {
  const name = words[0]?.text
  if (name === undefined) return undefined
  const rest = words.slice(1)
  if (name === 'git') return describeGit(rest)
  if (Object.hasOwn(wrappers, name)) return unwrap(name, rest)
  const spec = specIn(readers, name)
  const other = Object.hasOwn(otherReaders, name) ? otherReaders[name] : undefined
  if (spec === undefined && other === undefined) return describeQuestion(name, rest)
  const found = new Arguments()
  if (spec === undefined) other?.(rest, found)
  else {
    readArguments(rest, spec, found)
    rejectUnfit(name, rest, found)
  }
  return { unlisted: found.unlisted, paths: found.paths, isReader: true }
}

/** Words that are listed alone, and not together with the others. */
function rejectUnfit(name: string, words: readonly Word[], found: Arguments): void {
  const unfit = Object.hasOwn(unfits, name) ? unfits[name] : undefined
  if (unfit === undefined) return
  if (name === 'diff' && words.some(({ text }) => text === '--no-dereference')) return
  const word = words.find(({ text }) => unfit.test(text))
  if (word !== undefined) found.reject(word.text)
}

const unfits: { readonly [name: string]: RegExp } = {
  diff: /^-[A-Za-z]*r|^--recursive$/,
  // It reads one letter of such a word and ignores the others; then a value becomes a file, and the file one to write.
  xxd: /^-(?!(?:[abeEipuU]|[cgnlos]|[cglos]\d+)$)./,
  // It would describe a pipe of the runner.
  stat: /^-$/,
  // It reads more words from such a file.
  strings: /^@/,
}

/** Nothing where the words are no such question: then only somebody's own pattern speaks about the program. */
function describeQuestion(name: string, words: readonly Word[]): Described | undefined {
  const question = `${name} ${words[0]?.text}`
  if (words.length === 1 && versionQuestions.test(question))
    return { unlisted: [], paths: [], isReader: true }
  const spec = specIn(questions, question)
  if (spec === undefined) return undefined
  const { unlisted, paths } = readArguments(words.slice(1), spec)
  // With other words it is not the listed question, and a pattern of the user's keeps its meaning.
  if (unlisted.length > 0) return undefined
  return { unlisted, paths, isReader: true, ...(sandboxedQuestions.test(name) && { needsSandbox: true }) }
}

/** Programs that run another one and add nothing to it. */
function unwrap(name: string, words: readonly Word[]): Described {
  const { flags, values, operand } = wrappers[name] as (typeof wrappers)[string]
  const reject = (word: string) => ({ unlisted: [{ word, names: [word] }], paths: [], isReader: false })
  let at = 0
  for (let text = words[0]?.text; text?.startsWith('-'); text = words[at]?.text) {
    if (!values.test(text) && !flags.test(text)) return reject(text)
    at += values.test(text) ? 2 : 1
  }
  if (operand !== undefined && !operand.test(words[at++]?.text ?? '')) return reject(name)
  const inner = words.slice(at)
  if (inner.length === 0 || inner[0]?.glob !== undefined) return reject(name)
  return { unlisted: [], paths: [], isReader: false, inner }
}
