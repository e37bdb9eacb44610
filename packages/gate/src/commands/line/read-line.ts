/**
 * Parses a command line with a small grammar. Anything outside the grammar needs a shell. So a difference between this
 * parser and bash can only make Cadre ask, never run something else: exactly the returned value runs.
 * Takes linear time; never throws.
 */
import { hasUnusualSpaces, refuseHiddenCharacters } from '../hidden-characters.ts'
import { checkCommand, isLiteral, requireProgram } from './check-command.ts'
import { Cursor, NeedsShell, needsShell } from './cursor.ts'
import { listedVariables, specialVariables } from './known-words.ts'
import type { Command, Group, List, ParsedLine, Redirect, Stage, Step, Word } from './line.ts'
import { readWords, type WrittenWord } from './read-words.ts'

const maxLength = 64 * 1_024
const maxWords = 4_096
const maxDepth = 4
const notPlain = 'the syntax of the command is too complex'

const endOfCommand = /$|[\n;|&()]/y
const redirectStart = /[<>]|&>/y
const errorsToOutput: Redirect = { fd: 2, kind: 'copy', from: 1 }

export function readLine(source: string): ParsedLine {
  if (source.length > maxLength) return { kind: 'shell', why: 'the command is longer than 64 KB' }
  if (refuseHiddenCharacters(source) !== undefined || hasUnusualSpaces(source))
    return { kind: 'shell', why: 'the command has a hidden character' }
  try {
    return { kind: 'plain', list: new LineReader(source).line() }
  } catch (error) {
    if (error instanceof NeedsShell) return { kind: 'shell', why: error.message }
    throw error
  }
}

class LineReader {
  readonly #at: Cursor
  #words = 0

  constructor(source: string) {
    this.#at = new Cursor(source)
  }

  line(): List {
    const at = this.#at
    const isStrict = at.take(/[ \t\n]*set -e[ \t]*(?=[;\n])/y) !== null
    if (isStrict) this.#operator()
    const read = this.#list(0)
    const list = isStrict ? strict(read) : read
    if (!at.isDone) throw new NeedsShell('the command has an unexpected )')
    if (at.hasHereDocument) throw new NeedsShell('the command has an unterminated here-document')
    if (list.length === 0) throw new NeedsShell('the command is empty')
    return list
  }

  /** Reads up to the end, or to the `)` of the enclosing group. */
  #list(depth: number): List {
    const at = this.#at
    const steps: Step[] = []
    let after: Step['after'] = ';'
    at.skipLines()
    while (!at.isDone && at.letter() !== ')') {
      const names = at.values.size
      const stages = this.#stages(depth)
      // Elsewhere, its meaning depends on the rest of the line.
      if (at.values.size > names && (depth > 0 || stages.length > 1 || after !== ';'))
        throw new NeedsShell('the command sets a variable conditionally')
      steps.push({ after, stages })
      if (at.isDone || at.letter() === ')') break
      after = this.#operator()
      at.skipLines()
      if (after !== ';' && (at.isDone || at.letter() === ')'))
        throw new NeedsShell('the command ends with an operator')
    }
    return steps
  }

  #operator(): Step['after'] {
    const at = this.#at
    const letter = at.letter()
    if (letter === '\n') return ';'
    const found = at.take(/;(?![;&])|&&|\|\|/y)?.[0]
    if (found === undefined)
      throw new NeedsShell(letter === '&' ? 'the command starts a background process (&)' : notPlain)
    return found as Step['after']
  }

  #stages(depth: number): Stage[] {
    const at = this.#at
    const stages = [this.#stage(depth)]
    for (let pipe = at.take(/\|(?!\|)&?/y); pipe !== null; pipe = at.take(/\|(?!\|)&?/y)) {
      const last = stages.at(-1) as Stage
      // After all other redirects of that stage, as in bash.
      if (pipe[0] === '|&')
        stages[stages.length - 1] = { ...last, redirects: [...last.redirects, errorsToOutput] }
      at.skipLines()
      stages.push(this.#stage(depth))
    }
    // Bash ends such a stage with 0, whatever its redirects do.
    if (stages.length > 1 && stages.some((stage) => stage.kind === 'command' && stage.words.length === 0))
      throw new NeedsShell(notPlain)
    return stages
  }

  #stage(depth: number): Stage {
    this.#at.skipBlanks()
    return this.#at.letter() === '(' ? this.#group(depth) : this.#command()
  }

  #group(depth: number): Group {
    const at = this.#at
    if (depth >= maxDepth) throw new NeedsShell('the command is nested too deeply')
    // `((` is arithmetic.
    if (at.letter(1) === '(') throw new NeedsShell('the command has (( ))')
    at.position++
    const list = this.#list(depth + 1)
    if (at.letter() !== ')' || list.length === 0) throw new NeedsShell(notPlain)
    at.position++
    const redirects: Redirect[] = []
    for (at.skipBlanks(); at.isAt(redirectStart); at.skipBlanks()) redirects.push(...this.#redirect())
    if (/\d/.test(at.letter())) {
      const [word] = readWords(at, false)
      if (word?.descriptor === undefined || !at.isAt(/[<>]/y)) throw new NeedsShell(notPlain)
      redirects.push(...this.#redirect(word.descriptor))
      at.skipBlanks()
    }
    if (!at.isAt(endOfCommand)) throw new NeedsShell(notPlain)
    return { kind: 'group', list, redirects }
  }

  #command(): Command {
    const at = this.#at
    const words: Word[] = []
    const variables: { [name: string]: string } = {}
    const redirects: Redirect[] = []
    const isEmpty = () => redirects.length === 0 && Object.keys(variables).length === 0
    for (at.skipBlanks(); at.isAt(redirectStart) || !at.isAt(endOfCommand); at.skipBlanks()) {
      if (at.isAt(redirectStart)) {
        redirects.push(...this.#redirect())
        continue
      }
      if (words.length === 0 && at.isAt(/\[\[ /y) && isEmpty()) {
        words.push(...this.#question())
        continue
      }
      const written = readWords(at, words.length === 0)
      const first = written[0] as WrittenWord
      const { variable } = first
      if (at.isAt(/[<>]/y)) {
        if (first.hasBraces) throw new NeedsShell('the command redirects a named descriptor')
        if (first.descriptor !== undefined) {
          redirects.push(...this.#redirect(first.descriptor))
          continue
        }
      }
      if (words.length === 0 && variable !== undefined) {
        this.#assign(variables, variable, first.word)
        if (listedVariables.has(variable)) continue
        at.skipBlanks()
        if (!at.isAt(endOfCommand) || at.isAt(redirectStart) || !isEmpty())
          throw new NeedsShell(`the command sets ${variable}`)
        // At run time it only succeeds: later words already contain the value.
        return { kind: 'command', words: [{ text: ':' }], variables, redirects }
      }
      if (words.length === 0) requireProgram(first)
      this.#words += written.length
      if (this.#words > maxWords) throw new NeedsShell('the command has too many words')
      for (const { word } of written) words.push(word)
    }
    if (at.letter() === '(') throw new NeedsShell('the command has ( after a word')
    const command: Command = { kind: 'command', words, variables, redirects }
    checkCommand(command)
    return command
  }

  #assign(variables: { [name: string]: string }, variable: string, word: Word): void {
    if (!isLiteral(word)) throw new NeedsShell(`the command sets ${variable} to a pattern`)
    const value = word.text.slice(variable.length + 1)
    if (listedVariables.has(variable)) {
      variables[variable] = value
      return
    }
    // A second value would be ambiguous, and other values would be split or matched as patterns.
    const isPlain = /^[\w./@%+,:-]+$/.test(value) && !this.#at.values.has(variable)
    if (!isPlain || specialVariables.test(variable)) throw new NeedsShell(`the command sets ${variable}`)
    this.#at.values.set(variable, value)
  }

  /** `[[ -f package.json ]]` with one plain word, which `test` evaluates the same way. */
  #question(): readonly Word[] {
    const at = this.#at
    const found = at.take(/\[\[ {1,90}((?:! {1,90})?)(-[defhnrswxzL]) {1,90}/y)
    if (found === null || found[0].length > 100) throw new NeedsShell('the command uses [[')
    const { word, hasBraces } = readWords(at, false)[0] as WrittenWord
    if (!isLiteral(word) || hasBraces || !at.take(/ {1,98}\]\](?=$|[ \t\n;|&()<>])/y))
      throw new NeedsShell('the command uses [[')
    at.skipBlanks()
    if (!at.isAt(endOfCommand) && !at.isAt(redirectStart)) throw new NeedsShell('the command uses [[')
    const texts = ['test', ...(found[1] === '' ? [] : ['!']), found[2] as string, word.text]
    return texts.map((text) => ({ text }))
  }

  /** Before an arrow, or before `&>`. */
  #redirect(descriptor?: number): Redirect[] {
    const at = this.#at
    const arrow = at.take(/&>>?|<<<|<<-?|<[>&(]?|>[>&|(]?/y)?.[0] ?? ''
    if (descriptor !== undefined && (descriptor === 0) !== arrow.startsWith('<'))
      throw new NeedsShell('the command redirects another descriptor')
    const fd = descriptor === 2 ? 2 : 1
    const kind = arrow.endsWith('>>') ? 'append' : 'write'
    switch (arrow) {
      case '<':
        return [{ fd: 0, kind: 'read', path: this.#target() }]
      case '<<':
      case '<<-':
        return [at.beginHereDocument(arrow === '<<-')]
      case '<<<':
        throw new NeedsShell('the command has a here-string (<<<)')
      case '>':
      case '>>':
        return [{ fd, kind, path: this.#target() }]
      case '>&': {
        const from =
          at.take(/([12])(?=$|[ \t\n;|()<>]|&(?!>))/y) ??
          needsShell('the command redirects in an unusual way')
        return [{ fd, kind: 'copy', from: from[1] === '1' ? 1 : 2 }]
      }
      case '&>':
      case '&>>':
        return [{ fd: 1, kind, path: this.#target() }, errorsToOutput]
      default:
        throw new NeedsShell(`the command has ${arrow}`)
    }
  }

  #target(): string {
    const at = this.#at
    at.take(/[ \t]+/y)
    if (at.isAt(/$|[ \t\n;|&()<>#]/y)) throw new NeedsShell('the command has a redirect without a target')
    const written = readWords(at, false)
    const { word, descriptor, hasBraces } = written[0] as WrittenWord
    if (written.length > 1 || !isLiteral(word) || word.text === '')
      throw new NeedsShell('the command redirects to a pattern')
    if ((hasBraces || descriptor !== undefined) && at.isAt(/[<>]/y))
      throw new NeedsShell('the command redirects in an unusual way')
    // Bash handles some names below /dev itself, and devices are not regular files.
    if (word.text !== '/dev/null' && word.text.split('/').includes('dev'))
      throw new NeedsShell(`the command redirects to ${word.text}`)
    return word.text
  }
}

/** Under `set -e` a line stops at the first step that fails, as with `&&` between all steps. Other operators change that. */
function strict(list: List): List {
  const isPlain = list.every(
    ({ after, stages }) => after === ';' && stages.every(({ kind }) => kind === 'command'),
  )
  if (!isPlain) throw new NeedsShell('the command uses set, which only a shell can run')
  return list.map(({ stages }, at) => ({ after: at === 0 ? ';' : '&&', stages }))
}
