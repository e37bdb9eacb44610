import type { Word } from '../line/line.ts'
import type { Arguments, Unlisted } from './arguments.ts'
import { describeGit } from './describe-git.ts'
import { readArguments } from './read-arguments.ts'
import { readFind } from './read-find.ts'
import { readEcho, readFolder, readPrintf, readPs, readQuestion, readTest, readText } from './read-others.ts'
import { questions, readers, wrappers } from './readers.ts'
import { specIn } from './spec.ts'

/** What a command does, as far as its words tell. Nothing for a program whose options nobody has listed. */
export interface Described extends Arguments {
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

export function describeCommand(words: readonly Word[]): Described | undefined {
  const name = words[0]?.text
  if (name === undefined) return undefined
  const rest = words.slice(1)
  if (name === 'git') return describeGit(rest)
  const spec = specIn(readers, name)
  if (spec !== undefined) {
    const { unlisted, paths } = readArguments(rest, spec)
    const more = unlistedOf(name, rest)
    return { unlisted: more === undefined ? unlisted : [...unlisted, more], paths, isReader: true }
  }
  if (Object.hasOwn(wrappers, name)) return unwrap(name, rest)
  if (Object.hasOwn(questions, name)) return describeQuestion(name, rest)
  const special = Object.hasOwn(specials, name) ? specials[name] : undefined
  return special && { ...special(rest), isReader: true }
}

const specials: { readonly [name: string]: (words: readonly Word[]) => Arguments } = {
  ...Object.fromEntries('pwd true false : expr export exit'.split(' ').map((name) => [name, readText])),
  find: readFind,
  test: readTest,
  '[': readTest,
  printf: readPrintf,
  echo: readEcho,
  ps: readPs,
  cd: readFolder,
  command: readQuestion,
}

/** A word that is listed alone, and not together with the others. */
function unlistedOf(name: string, words: readonly Word[]): Unlisted | undefined {
  const unfit = Object.hasOwn(unfits, name) ? unfits[name] : undefined
  if (unfit === undefined) return undefined
  if (name === 'diff' && words.some(({ text }) => text === '--no-dereference')) return undefined
  const word = words.find(({ text }) => unfit.test(text))?.text
  return word === undefined ? undefined : { word, names: [word] }
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
  const { exact, commands = {}, needsSandbox } = questions[name] as (typeof questions)[string]
  const first = words[0]?.text ?? ''
  if (words.length === 1 && words[0]?.glob === undefined && exact.test(first))
    return { unlisted: [], paths: [], isReader: true }
  const spec = specIn(commands, first)
  if (spec === undefined) return undefined
  const { unlisted, paths } = readArguments(words.slice(1), spec)
  // With other words it is not the listed question, and a pattern of the user's keeps its meaning.
  return unlisted.length > 0
    ? undefined
    : { unlisted, paths, isReader: true, ...(needsSandbox && { needsSandbox }) }
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
