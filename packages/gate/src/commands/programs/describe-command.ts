import type { Word } from '../line/line.ts'
import type { Arguments, Unlisted } from './arguments.ts'
import { gitReaders, gitSubReaders, gitWriters } from './git.ts'
import { readArguments } from './read-arguments.ts'
import { readFind } from './read-find.ts'
import { readEcho, readFolder, readPrintf, readPs, readQuestion, readTest, readText } from './read-others.ts'
import { readers } from './readers.ts'
import { readSpec } from './spec.ts'

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

/** Several rules ask about the same words. */
const described = new WeakMap<readonly Word[], { readonly is: Described | undefined }>()

export function describeCommand(words: readonly Word[]): Described | undefined {
  const known = described.get(words)
  if (known !== undefined) return known.is
  const is = describe(words)
  described.set(words, { is })
  return is
}

function describe(words: readonly Word[]): Described | undefined {
  const [first, ...rest] = words
  if (first === undefined) return undefined
  const name = first.text
  if (name === 'git') return describeGit(rest)
  const wrapped = unwrap(name, rest)
  if (wrapped !== undefined) return wrapped
  const question = Object.hasOwn(questions, name) ? questions[name] : undefined
  if (question !== undefined) return describeQuestion(question, rest)
  const special = Object.hasOwn(specials, name) ? specials[name] : undefined
  if (special !== undefined) return { ...special(rest), isReader: true }
  if (!Object.hasOwn(readers, name)) return undefined
  const found = readArguments(rest, readSpec(readers[name] as string))
  const more = [...unlistedOf(name, rest)]
  return { unlisted: [...found.unlisted, ...more], paths: found.paths, isReader: true }
}

const specials: { readonly [name: string]: (words: readonly Word[]) => Arguments } = {
  find: readFind,
  test: readTest,
  '[': readTest,
  printf: readPrintf,
  echo: readEcho,
  ps: readPs,
  cd: readFolder,
  pwd: readText,
  true: readText,
  false: readText,
  ':': readText,
  expr: readText,
  command: readQuestion,
  export: readText,
  exit: readText,
}

/** What depends on more than one word. */
function unlistedOf(name: string, words: readonly Word[]): readonly Unlisted[] {
  const texts = words.map(({ text }) => text)
  const reject = (word: string | undefined) => (word === undefined ? [] : [{ word, names: [word] }])
  if (name === 'diff' && !texts.includes('--no-dereference'))
    return reject(texts.find((text) => /^-[A-Za-z]*r|^--recursive$/.test(text)))
  // It reads one letter of such a word and ignores the others; then a value becomes a file, and the file one to write.
  if (name === 'xxd')
    return reject(
      texts.find((text) => /^-./.test(text) && !/^-(?:[abeEipuU]|[cgnlos]|[cglos]\d+)$/.test(text)),
    )
  // It would describe a pipe of the runner.
  if (name === 'stat') return reject(texts.find((text) => text === '-'))
  // They read more words from such a file.
  if (name === 'strings') return reject(texts.find((text) => text.startsWith('@')))
  return []
}

/**
 * Programs of which only a question about themselves is listed. Launchers that read files of the project before they know what
 * was asked are none of them: `cargo --version` starts the toolchain that `rust-toolchain.toml` names.
 */
interface Question {
  /** Whole lines of words. */
  readonly exact?: RegExp
  readonly commands?: { readonly [command: string]: string }
  readonly needsSandbox?: true
}

const version: Question = { exact: /^(?:--version|-v|-V|-version)$/ }
const long: Question = { exact: /^--version$/ }
const images = '-aq -f=text --all --filter=text --format=text --no-trunc --quiet --digests : word*'
const pip: Question = {
  ...version,
  commands: {
    list: '--format=text --user --local --not-required : ',
    freeze: '--all --local --user : ',
    show: '-f --files : word*',
  },
  needsSandbox: true,
}
const npmList =
  '-agl -w=text --all --depth=num --json --long --global --prod --production --omit=text --include=text --workspaces --workspace=text --parseable --link : text*'

const questions: { readonly [name: string]: Question } = {
  ...Object.fromEntries('node python python3 java make gcc'.split(' ').map((name) => [name, version])),
  ...Object.fromEntries('bash cc clang cmake curl g++ perl wget'.split(' ').map((name) => [name, long])),
  npm: { ...version, commands: { ls: npmList, list: npmList }, needsSandbox: true },
  pip,
  pip3: pip,
  docker: {
    ...version,
    commands: {
      ps: '-aqls -n=num -f=text --all --filter=text --format=text --last=num --latest --no-trunc --quiet --size : ',
      images,
      version: '-f=text --format=text : ',
      info: '-f=text --format=text : ',
    },
  },
}

/** Nothing where the words are no such question: then only somebody's own pattern speaks about the program. */
function describeQuestion(
  { exact, commands, needsSandbox }: Question,
  words: readonly Word[],
): Described | undefined {
  const [first] = words
  if (words.length === 1 && first?.glob === undefined && exact?.test(first?.text ?? ''))
    return { unlisted: [], paths: [], isReader: true }
  const spec =
    commands !== undefined && Object.hasOwn(commands, first?.text ?? '')
      ? commands[first?.text ?? '']
      : undefined
  if (spec === undefined) return undefined
  const { unlisted, paths } = readArguments(words.slice(1), readSpec(spec))
  // With other words it is not the listed question, and a pattern of the user's keeps its meaning.
  return unlisted.length > 0
    ? undefined
    : { unlisted, paths, isReader: true, ...(needsSandbox && { needsSandbox }) }
}

/** Programs that run another one and add nothing to it. */
function unwrap(name: string, words: readonly Word[]): Described | undefined {
  const spec =
    name === 'timeout'
      ? /^(?:-k|-s|--kill-after|--signal)$/
      : name === 'nice'
        ? /^(?:-n|--adjustment)$/
        : undefined
  if (spec === undefined) return undefined
  const flags =
    name === 'timeout'
      ? /^(?:-v|--preserve-status|--foreground|--verbose|--(?:kill-after|signal)=\w+|-[ks]\w+)$/
      : /^(?:--adjustment=-?\d+|-n-?\d+|-\d+)$/
  let at = 0
  while (at < words.length && words[at]?.text.startsWith('-')) {
    const text = words[at]?.text as string
    if (!spec.test(text) && !flags.test(text))
      return { unlisted: [{ word: text, names: [text] }], paths: [], isReader: false }
    at += spec.test(text) ? 2 : 1
  }
  const inner = words.slice(name === 'timeout' ? at + 1 : at)
  const duration = name === 'timeout' ? words[at] : undefined
  const isPlain = name !== 'timeout' || /^\d+(?:\.\d+)?[smhd]?$/.test(duration?.text ?? '')
  if (!isPlain || inner.length === 0 || inner[0]?.glob !== undefined)
    return { unlisted: [{ word: name, names: [name] }], paths: [], isReader: false }
  return { unlisted: [], paths: [], isReader: false, inner }
}

const listing = /^(?:--list|--(?:no-)?(?:contains|merged)(?:=.*)?|--points-at(?:=.*)?)$/
/** They change who commits and how things look, and start nothing. */
const harmlessSetting =
  /^(?:user\.(?:name|email)|color\.[\w.]+|advice\.\w+|core\.(?:quotepath|abbrev)|commit\.gpgsign|tag\.gpgsign|init\.defaultbranch|log\.(?:date|decorate|abbrevcommit)|diff\.(?:renames|algorithm|context))(?:=(?!.*\0).*)?$/is
const plainSetting = /^(?:user\.(?:name|email)|init\.\w+|(?:remote|branch|core)\.[\w./-]+)$/i

function describeGit(given: readonly Word[]): Described {
  let at = 0
  let folder: string | undefined
  for (; at < given.length; at++) {
    const { text, glob } = given[at] as Word
    if (text === '-C' && folder === undefined && given[at + 1]?.glob === undefined) {
      folder = given[++at]?.text ?? '.'
      continue
    }
    if (
      text === '-c' &&
      harmlessSetting.test(given[at + 1]?.text ?? '') &&
      given[at + 1]?.glob === undefined
    ) {
      at++
      continue
    }
    if (text === '--no-pager' || text === '-P' || text === '--no-optional-locks') continue
    if (text === '--version' && given.length === 1) return { unlisted: [], paths: [], isReader: true }
    if (text.startsWith('-') || glob !== undefined)
      return { unlisted: [{ word: text, names: [text] }], paths: [], isReader: false }
    break
  }
  const subject = ['git', ...given.slice(at).map(({ text }) => text)]
  const where = { ...(folder !== undefined && { folder }), ...(at > 0 && { subject }) }
  const command = given[at]?.text ?? ''
  const rest = given.slice(at + 1)
  const second = `${command} ${rest[0]?.text ?? ''}`
  if (command === 'config') return { ...describeSetting(rest), ...where }
  if (Object.hasOwn(gitSubReaders, second))
    return {
      ...readArguments(rest.slice(1), readSpec(gitSubReaders[second] as string)),
      isReader: true,
      ...where,
    }
  if (Object.hasOwn(gitReaders, command)) {
    const spec = gitReaders[command] as string
    const mayList =
      /^(?:branch|tag)$/.test(command) &&
      rest.some(({ text }) => listing.test(text) || (command === 'tag' && text === '-l'))
    const found = readArguments(rest, readSpec(mayList ? `${spec}text*` : spec))
    if (found.unlisted.length === 0 || !Object.hasOwn(gitWriters, command))
      return { ...found, isReader: true, ...where }
  }
  if (Object.hasOwn(gitWriters, command))
    return { ...readArguments(rest, readSpec(gitWriters[command] as string)), isReader: false, ...where }
  return { unlisted: [{ word: command, names: [command] }], paths: [], isReader: false, ...where }
}

/** Other settings may hold keys, and those of the user lie outside of the workspace. */
function describeSetting(words: readonly Word[]): Described {
  const texts = words.map(({ text }) => text).filter((text) => text !== '--local' && text !== '--get')
  const isOne = texts.length === 1 && plainSetting.test(texts[0] as string)
  const isList =
    words.some(({ text }) => text === '--local') &&
    texts.length === 1 &&
    /^(?:--list|-l)$/.test(texts[0] as string)
  if (isOne || isList) return { unlisted: [], paths: [], isReader: true }
  const [word = 'config'] = texts
  return { unlisted: [{ word, names: [word, 'config'] }], paths: [], isReader: false }
}
