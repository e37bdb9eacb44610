import path from 'node:path'
import { forEachChild, parse, type SyntaxNode } from 'unbash'
import type { CommandLine, FoundCommand, FoundRedirect } from './command-line.ts'
import { findDanger } from './find-danger.ts'
import { refuseHidden, unusualIn } from './hidden-characters.ts'
import { doubtOf } from './hidden-evaluation.ts'
import { loopVariable } from './loop-variable.ts'
import { listedName, programOf } from './program-name.ts'
import { isPlainReader, shells } from './programs.ts'
import type { Reader } from './reader.ts'
import { plainWord, readWord, type ShellWord } from './shell-word.ts'
import {
  argumentWord,
  describeWords,
  inputOf,
  isBackground,
  isFetcher,
  isOpened,
  type Node,
} from './syntax-parts.ts'
import { unwrapCommand } from './unwrap/unwrap-command.ts'
import { kindOfVariable } from './variables.ts'

const mostLetters = 64 * 1_024
const mostCommands = 1_000
const mostWords = 20_000
const deepest = 16
const mostFolders = 8
const tooDeep = 'it is nested too deeply, or too long'

/**
 * Everything a line would start, found on its syntax and on words: in sequences, pipes, substitutions, here-documents,
 * and behind every program that starts another one. Never throws. What cannot be read for certain is a doubt.
 */
export function readCommandLine(source: string): CommandLine {
  const known = recent.get(source)
  if (known !== undefined) return known
  const line = readNew(source)
  if (source.length > mostRemembered) return line
  if (recent.size >= 16) recent.delete(recent.keys().next().value as string)
  recent.set(source, line)
  return line
}

/** Several rules ask about the same call, one after the other. What a line comes down to depends on nothing else. */
const recent = new Map<string, CommandLine>()
const mostRemembered = 16 * 1_024

function readNew(source: string): CommandLine {
  const hidden = source.length > mostLetters ? 'it is too long to be looked at' : refuseHidden(source)
  if (hidden !== undefined) {
    return { commands: [], doubts: [], folders: ['.'], refused: hidden, refusedBy: 'characters' }
  }
  const reading = new Reading()
  try {
    reading.script(plainWord(source))
  } catch (error) {
    reading.doubt(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const unusual = unusualIn(source)
  if (unusual !== undefined) reading.doubt(unusual)
  return reading.end()
}

/** What was found so far. The depth grows with every command or text that is found within another one. */
class Reading implements Reader {
  readonly #commands: FoundCommand[] = []
  readonly #doubts = new Set<string>()
  readonly #texts: string[] = []
  #folders: readonly string[] = ['.']
  #refused: { readonly what: string; readonly reason: string } | undefined
  #depth = 0
  /** Of all texts that were read, and of all commands behind others: the same ones count again at each depth. */
  #letters = 0
  #words = 0
  /** Set in front of the command that is being read, and of those it is started by. */
  #variables: readonly string[] = []
  /** What the variables of the loops around a command stand for. */
  #loops: ReadonlyMap<string, readonly ShellWord[]> = new Map()
  readonly #loopsUsed = new Set<string>()
  /** The text that is being read. */
  #source = ''
  readonly #timesSet = new Map<string, number>()

  end(): CommandLine {
    for (const name of this.#loopsUsed)
      if (this.#timesSet.get(name) !== 1) this.doubt(`${name} is set in more than one way`)
    const line = { commands: this.#commands, doubts: [...this.#doubts], folders: this.#folders }
    const refused = this.#refused ?? findDanger(line, this.#texts)
    return refused === undefined
      ? line
      : { ...line, refused: refused.reason, refusedBy: `dangerous: ${refused.what}` }
  }

  doubt(sentence: string): void {
    if (this.#doubts.size < 50) this.#doubts.add(sentence)
  }

  refuse(what: string, reason: string): void {
    this.#refused ??= { what, reason }
  }

  variable(name: string, isExported = true): void {
    this.#timesSet.set(name, (this.#timesSet.get(name) ?? 0) + 1)
    const kind = kindOfVariable(name)
    if (kind === 'steering') this.doubt(`${name} is set, which decides what runs`)
    else if (kind === 'other' && isExported && !this.#variables.includes(name) && this.#variables.length < 50)
      this.#variables = [...this.#variables, name]
  }

  folder(word: ShellWord | undefined): void {
    const isPlain = word?.kind === 'plain' && word.tilde !== true && !/^-|^$/.test(word.value)
    if (!isPlain || word === undefined) {
      this.doubt('in which folder it runs is only known when it runs')
      return
    }
    const added = this.#folders.map((folder) =>
      path.posix.isAbsolute(word.value)
        ? path.posix.normalize(word.value)
        : path.posix.join(folder, word.value),
    )
    this.#folders = [...new Set([...this.#folders, ...added])]
    if (this.#folders.length > mostFolders) {
      this.#folders = this.#folders.slice(0, mostFolders)
      this.doubt('it changes the folder too often')
    }
  }

  script(source: ShellWord): void {
    if (source.kind !== 'plain') this.doubt('a text that is run is only known when it runs')
    this.#letters += source.value.length
    if (this.#letters > 3 * mostLetters) {
      this.doubt(tooDeep)
      return
    }
    // Another shell has other variables.
    const outer = { loops: this.#loops, source: this.#source }
    this.#loops = new Map()
    this.#source = source.value
    this.#deeper(() => this.#visit(parse(source.value)))
    this.#loops = outer.loops
    this.#source = outer.source
  }

  command(words: readonly ShellWord[], how: { readonly covered?: true } = {}): void {
    this.#words += words.length
    if (this.#words > mostWords) this.doubt(tooDeep)
    else this.#deeper(() => this.#found(words, [], how))
  }

  #deeper(work: () => void): void {
    if (this.#depth >= deepest) {
      this.doubt(tooDeep)
      return
    }
    this.#depth++
    try {
      work()
    } finally {
      this.#depth--
    }
  }

  #visit(node: SyntaxNode): void {
    const doubt = doubtOf(node)
    if (doubt !== undefined) this.doubt(doubt)
    switch (node.type) {
      case 'Command':
        this.#simple(node)
        break
      case 'Pipeline':
        this.#pipeline(node)
        break
      case 'Function':
        this.#function(node)
        break
      case 'For':
        this.#for(node)
        break
      case 'Redirected':
        this.#visit(node.command)
        this.#record([], this.#redirects(node.redirects), {})
        break
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script === undefined) this.doubt(tooDeep)
        this.#deeper(() => this.#children(node))
        break
      default:
        this.#noteSetting(node)
        this.#children(node)
    }
  }

  #children(node: SyntaxNode): void {
    forEachChild(node, (child) => this.#visit(child))
  }

  /** Variables that the shell sets by itself, and texts that are not read to their end. */
  #noteSetting(node: SyntaxNode): void {
    if (node.type === 'Script' && node.errors?.length)
      this.doubt(`it cannot be read as a whole: ${node.errors[0]?.message}`)
    if (node.type === 'For' || node.type === 'Select') {
      this.variable(node.name.value, false)
      // The names that fit are looked up.
      for (const word of (node.wordlist ?? []).map(readWord))
        if (word.kind === 'glob') this.#record([], [{ path: word.value, kind: 'read', isGlob: true }], {})
    }
    if (node.type === 'Assignment') this.variable(node.name, false)
    // `${x:=y}` sets what it reads.
    if (
      node.type === 'ParameterExpansion' &&
      node.operation?.type === 'Default' &&
      node.operation.operator.endsWith('=')
    )
      this.variable(node.parameter, false)
  }

  #simple(node: Node<'Command'>): void {
    if (isOpened(node, this.#source)) this.doubt('it has a parenthesis where none can be')
    const assignments = node.prefix.filter((part) => part.type === 'Assignment')
    for (const assignment of assignments) this.#visit(assignment)
    const inside = this.#commands.length
    if (node.name !== undefined) this.#visit(node.name)
    for (const argument of node.args) this.#visitArgument(argument)
    const redirects = this.#redirects(node.redirects)
    const nested = this.#commands.slice(inside)
    const own = node.name ? [readWord(node.name)] : []
    const program = listedName(own[0]?.value ?? '')
    const words = [...own, ...node.args.flatMap((argument) => this.#argumentWords(argument, program))]
    const outer = this.#variables
    for (const { name } of assignments) this.variable(name)
    const index = this.#found(words, redirects, {})
    this.#variables = outer
    const found = this.#commands[index]
    const inputs = node.redirects.flatMap((redirect) => inputOf(redirect))
    this.#texts.push(...inputs.map(({ value }) => value))
    if (found?.readsProgram) for (const input of inputs) this.script(input)
    const name = programOf(words[0]?.value ?? '')
    const runs = found?.readsProgram || shells.has(name) || /^(?:eval|source|\.)$/.test(name)
    if (runs && nested.some(isFetcher)) this.refuse('curl | sh', 'it runs what it fetches from the network')
  }

  /** `declare x=$(y)`: an assignment behind a name is a word of it. */
  #visitArgument(argument: Node<'Word'> | Node<'Assignment'>): void {
    if (argument.type === 'Word') this.#visit(argument)
    else this.#children(argument)
  }

  /** Puts down a command and what it starts. Gives its place. */
  #found(
    words: readonly ShellWord[],
    redirects: readonly FoundRedirect[],
    how: { readonly covered?: true },
  ): number {
    const index = this.#commands.length
    const [name] = words
    this.#record(words, redirects, how)
    if (name === undefined) return index
    if (name.kind !== 'plain' || name.tilde === true || name.value === '') {
      this.doubt(`which program it starts is only known when it runs: ${name.value}`)
      return index
    }
    if (!/^[\w@+:./[\]-]+$/.test(name.value) || /^\/(?:dev|proc)\//.test(name.value))
      this.doubt(`the name of a program is unusual: ${name.value}`)
    const program = programOf(name.value)
    if (/^(?:cd|pushd|chdir)$/.test(program))
      this.folder(words.slice(1).find(({ value }) => !/^-[LPen@]+$|^--$/.test(value)))
    if (program === 'popd') this.folder(undefined)
    const outer = this.#variables
    const { words: others, covered, readsProgram } = unwrapCommand(program, words.slice(1), this)
    this.#variables = outer
    const written = this.#commands[index]
    // Nothing is there where there were too many before.
    if (written !== undefined && (others !== undefined || covered || readsProgram)) {
      this.#commands[index] = {
        ...written,
        ...(others !== undefined && { ...describeWords([name, ...others]), redirects: written.redirects }),
        // Only the real one does nothing but start it: `./timeout` may be anything.
        ...(covered && listedName(name.value) === program && { covered }),
        ...(readsProgram && { readsProgram }),
      }
    }
    return index
  }

  #record(
    words: readonly ShellWord[],
    redirects: readonly FoundRedirect[],
    how: { readonly covered?: true },
  ): void {
    if (words.length === 0 && redirects.length === 0) return
    if (this.#commands.length >= mostCommands) {
      this.refuse('too many commands', 'it starts more programs than anybody can look at')
      return
    }
    const variables = words.length > 0 && this.#variables.length > 0 && { variables: this.#variables }
    this.#commands.push({ ...describeWords(words), redirects, ...how, ...variables })
  }

  #redirects(redirects: Node<'Command'>['redirects']): FoundRedirect[] {
    const found: FoundRedirect[] = []
    for (const redirect of redirects) {
      if (redirect.type !== 'Redirect') {
        this.#visit(redirect)
        continue
      }
      this.#children(redirect)
      if (redirect.descriptor?.type === 'FileDescriptorVariable')
        this.variable(redirect.descriptor.name, false)
      const { target, operator } = redirect
      if (target === undefined) {
        this.doubt('where a redirect leads cannot be read')
        continue
      }
      const word = readWord(target)
      if (/&$/.test(operator) && /^\d*-?$/.test(word.value) && word.kind === 'plain') continue
      if (word.kind !== 'plain' || word.tilde === true || word.value === '')
        this.doubt(`where a redirect leads is only known when it runs: ${target.text}`)
      if (/^\/dev\/(?:tcp|udp)\//.test(word.value)) this.doubt(`it opens a connection: ${word.value}`)
      found.push({ path: word.value, kind: operator === '<' || operator === '<&' ? 'read' : 'write' })
    }
    return found
  }

  #pipeline(node: Node<'Pipeline'>): void {
    const before: FoundCommand[] = []
    for (const member of node.commands) {
      const start = this.#commands.length
      this.#visit(member)
      const mine = this.#commands.slice(start)
      if (mine.some(({ readsProgram }) => readsProgram)) {
        if (before.some(isFetcher)) this.refuse('curl | sh', 'it runs what it fetches from the network')
        for (const { words, open } of before) {
          if (/^(?:echo|printf)$/.test(words[0] ?? '') && open === undefined)
            this.script(
              plainWord(
                words
                  .slice(1)
                  .filter((word) => !/^-[neE]+$/.test(word))
                  .join(' '),
              ),
            )
        }
        for (const text of this.#texts.slice())
          if (before.some(({ words }) => words[0] === 'cat')) this.script(plainWord(text))
      }
      before.push(...mine)
    }
  }

  /** In the body its variable is one of the words, provided that nothing else in the line sets it. */
  #for(node: Node<'For'>): void {
    this.#noteSetting(node)
    const outer = this.#loops
    const words = node.wordlist?.map(readWord) ?? []
    const isKnown = words.length > 0 && words.length <= 50
    if (isKnown && words.every(({ kind, tilde, value }) => kind !== 'open' && !tilde && value !== ''))
      this.#loops = new Map([...outer, [node.name.value, words]])
    else this.#loops = new Map([...outer].filter(([name]) => name !== node.name.value))
    this.#children(node)
    this.#loops = outer
  }

  /** The words of an argument: of a loop's variable all it stands for, where more words do no harm. */
  #argumentWords(argument: Node<'Word'> | Node<'Assignment'>, program: string): readonly ShellWord[] {
    const variable = argument.type === 'Word' && isPlainReader(program) ? loopVariable(argument) : undefined
    const words = variable && this.#loops.get(variable.name)
    if (!variable || !words) return [argumentWord(argument)]
    const isWhole =
      variable.isQuoted || words.every(({ kind, value }) => kind === 'plain' && /^[\w./-]+$/.test(value))
    if (!isWhole) return [argumentWord(argument)]
    this.#loopsUsed.add(variable.name)
    return words
  }

  #function(node: Node<'Function'>): void {
    this.doubt(`it gives a command another meaning: ${node.name.value}`)
    const start = this.#commands.length
    this.#children(node)
    const own = this.#commands.slice(start).filter(({ words }) => words[0] === node.name.value)
    if (own.length > 1 || (own.length > 0 && isBackground(node)))
      this.refuse('fork bomb', 'it starts itself again and again')
  }
}
