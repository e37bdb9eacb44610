import type { Word } from '../line/line.ts'
import { Arguments } from './arguments.ts'
import { describeGit } from './describe-git.ts'
import { otherReadOnlyPrograms } from './other-read-only-programs.ts'
import { readArguments } from './read-arguments.ts'
import {
  readOnlyPrograms,
  readOnlySubcommands,
  sandboxedSubcommands,
  versionQueries,
  wrapperPrograms,
} from './readers.ts'
import { findSpec } from './spec.ts'

/** What a command does, as far as its words tell. Undefined for a program whose options are not listed. */
export interface DescribedCommand extends Readonly<Pick<Arguments, 'unlisted' | 'paths'>> {
  /** With listed words, it only reads. */
  readonly isReader: boolean
  /** It runs code of its own installation, as npm does, so it needs a sandbox. */
  readonly needsSandbox?: true
  /** The command behind `timeout 60`. */
  readonly inner?: readonly Word[]
  /** The folder that `git -C` changes to. */
  readonly folder?: string
  /** The words without such options, which patterns are compared with. */
  readonly subject?: readonly string[]
}

/** True if the command only reads: its program is a reader, and all its words are listed. */
export function isListedReader(described: DescribedCommand | undefined): described is DescribedCommand {
  return described?.isReader === true && described.unlisted.length === 0
}

export function describeCommand(words: readonly Word[]): DescribedCommand | undefined {
  const name = words[0]?.text
  if (name === undefined) return undefined
  const rest = words.slice(1)
  if (name === 'git') return describeGit(rest)
  if (Object.hasOwn(wrapperPrograms, name)) return unwrap(name, rest)
  const spec = findSpec(readOnlyPrograms, name)
  const other = Object.hasOwn(otherReadOnlyPrograms, name) ? otherReadOnlyPrograms[name] : undefined
  if (spec === undefined && other === undefined) return describeSubcommand(name, rest)
  const found = new Arguments()
  if (spec === undefined) other?.(rest, found)
  else {
    readArguments(rest, spec, found)
    rejectDisallowed(name, rest, found)
  }
  return { unlisted: found.unlisted, paths: found.paths, isReader: true }
}

/** Rejects words that are listed but not allowed in combination with others. */
function rejectDisallowed(name: string, words: readonly Word[], found: Arguments): void {
  const unfit = Object.hasOwn(disallowedCombinations, name) ? disallowedCombinations[name] : undefined
  if (unfit === undefined) return
  if (name === 'diff' && words.some(({ text }) => text === '--no-dereference')) return
  const word = words.find(({ text }) => unfit.test(text))
  if (word !== undefined) found.reject(word.text)
}

const disallowedCombinations: { readonly [name: string]: RegExp } = {
  diff: /^-[A-Za-z]*r|^--recursive$/,
  // xxd reads one letter of such a word and ignores the others, so a value could become the output file.
  xxd: /^-(?!(?:[abeEipuU]|[cgnlos]|[cglos]\d+)$)./,
  // It would describe a pipe of the runner.
  stat: /^-$/,
  // It reads more arguments from such a file.
  strings: /^@/,
}

/** Returns undefined if the words are not a listed query: then only patterns of the user apply to the program. */
function describeSubcommand(name: string, words: readonly Word[]): DescribedCommand | undefined {
  const question = `${name} ${words[0]?.text}`
  if (words.length === 1 && versionQueries.test(question)) return { unlisted: [], paths: [], isReader: true }
  const spec = findSpec(readOnlySubcommands, question)
  if (spec === undefined) return undefined
  const { unlisted, paths } = readArguments(words.slice(1), spec)
  // With other words it is not the listed query, and patterns of the user apply.
  if (unlisted.length > 0) return undefined
  return { unlisted, paths, isReader: true, ...(sandboxedSubcommands.test(name) && { needsSandbox: true }) }
}

/** Programs that only start another one. */
function unwrap(name: string, words: readonly Word[]): DescribedCommand {
  const { flags, values, operand } = wrapperPrograms[name] as (typeof wrapperPrograms)[string]
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
