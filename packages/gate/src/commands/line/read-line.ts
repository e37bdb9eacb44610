/**
 * Reads a command line by a small grammar. Whatever the grammar does not know needs a shell, so a difference between this
 * reader and bash can make a line ask, and never makes it run something else: what runs is the value returned here.
 *
 * Linear in the length of the line; never throws.
 */
import { refuseHidden, unusualIn } from '../hidden-characters.ts'
import { Cursor, NeedsShell } from './cursor.ts'
import { listedVariables, reservedWords, shellBuiltins, specialVariables } from './known-words.ts'
import type { Command, Group, List, ReadLine, Redirect, Stage, Step, Word } from './line.ts'
import { readWords, type WrittenWord } from './read-words.ts'

const mostLetters = 64 * 1_024
const mostWords = 4_096
const deepest = 4

export function readLine(source: string): ReadLine {
  if (source.length > mostLetters) return { kind: 'shell', why: 'it is longer than 64 KB' }
  if (refuseHidden(source) !== undefined || unusualIn(source) !== undefined)
    return { kind: 'shell', why: 'it has a hidden character' }
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
    const isStrict = this.#skipSetE()
    const read = this.#list(0)
    const list = isStrict ? strict(read) : read
    if (!this.#at.isDone) throw new NeedsShell('it has an unexpected )')
    this.#at.requireNoHereDocument()
    if (list.length === 0) throw new NeedsShell('it is empty')
    return list
  }

  /** `set -e;` in front of everything. */
  #skipSetE(): boolean {
    const found = /^[ \t\n]*set -e[ \t]*(?=[;\n])/.exec(this.#at.source)?.[0]
    if (found === undefined) return false
    this.#at.skip(found.length)
    this.#operator()
    return true
  }

  /** Up to the end, or to the `)` of the group it is in. */
  #list(depth: number): List {
    const at = this.#at
    const steps: Step[] = []
    let after: Step['after'] = ';'
    at.skipLines()
    while (!at.isDone && at.letter() !== ')') {
      const names = at.values.size
      const stages = this.#stages(depth)
      // Anywhere else its meaning depends on the rest of the line.
      if (at.values.size > names && (depth > 0 || stages.length > 1 || after !== ';'))
        throw new NeedsShell('it sets a variable under a condition')
      steps.push({ after, stages })
      const letter = at.letter()
      if (letter === '' || letter === ')') break
      after = this.#operator()
      at.skipLines()
      if (after !== ';' && (at.isDone || at.letter() === ')'))
        throw new NeedsShell('it ends with an operator')
    }
    return steps
  }

  #operator(): Step['after'] {
    const at = this.#at
    const [letter, next] = [at.letter(), at.letter(1)]
    if (letter === '\n') return ';'
    if (letter === ';' && next !== ';' && next !== '&') {
      at.skip(1)
      return ';'
    }
    if ((letter === '&' || letter === '|') && next === letter) {
      at.skip(2)
      return letter === '&' ? '&&' : '||'
    }
    throw new NeedsShell(
      letter === '&' ? 'it starts something in the background (&)' : 'its syntax is not plain',
    )
  }

  #stages(depth: number): Stage[] {
    const at = this.#at
    const stages = [this.#stage(depth)]
    while (at.letter() === '|' && at.letter(1) !== '|') {
      const joinsErrors = at.letter(1) === '&'
      if (joinsErrors) {
        const last = stages.pop() as Stage
        // Behind every other redirect of that stage, as bash does it.
        stages.push({ ...last, redirects: [...last.redirects, { fd: 2, kind: 'copy', from: 1 }] })
      }
      at.skip(joinsErrors ? 2 : 1)
      at.skipLines()
      stages.push(this.#stage(depth))
    }
    // Bash ends such a stage with 0, whatever its redirects do.
    if (stages.length > 1 && stages.some((stage) => stage.kind === 'command' && stage.words.length === 0))
      throw new NeedsShell('its syntax is not plain')
    return stages
  }

  #stage(depth: number): Stage {
    this.#at.skipBlanks()
    return this.#at.letter() === '(' ? this.#group(depth) : this.#command()
  }

  #group(depth: number): Group {
    const at = this.#at
    if (depth >= deepest) throw new NeedsShell('it is nested too deeply')
    // `((` is arithmetic.
    if (at.letter(1) === '(') throw new NeedsShell('it has (( ))')
    at.skip(1)
    const list = this.#list(depth + 1)
    if (at.letter() !== ')' || list.length === 0) throw new NeedsShell('its syntax is not plain')
    at.skip(1)
    const redirects: Redirect[] = []
    for (at.skipBlanks(); this.#startsRedirect(); at.skipBlanks())
      redirects.push(...this.#redirect(undefined))
    if (/\d/.test(at.letter())) {
      const [word] = this.#readWords(false)
      if (word?.descriptor === undefined || !at.isAtArrow) throw new NeedsShell('its syntax is not plain')
      redirects.push(...this.#redirect(word.descriptor))
      at.skipBlanks()
    }
    if (!at.isAtEndOfCommand) throw new NeedsShell('its syntax is not plain')
    return { kind: 'group', list, redirects }
  }

  #command(): Command {
    const at = this.#at
    const words: Word[] = []
    const variables: { [name: string]: string } = {}
    const redirects: Redirect[] = []
    for (at.skipBlanks(); !at.isAtEndOfCommand || this.#startsRedirect(); at.skipBlanks()) {
      const isFirst = words.length === 0 && redirects.length === 0 && Object.keys(variables).length === 0
      if (isFirst && at.source.startsWith('[[ ', at.position)) {
        words.push(...this.#question())
        continue
      }
      if (this.#startsRedirect()) {
        redirects.push(...this.#redirect(undefined))
        continue
      }
      const written = this.#readWords(words.length === 0)
      const [first] = written as [WrittenWord]
      if (first.descriptor !== undefined && at.isAtArrow) {
        redirects.push(...this.#redirect(first.descriptor))
        continue
      }
      if (first.hasBraces && at.isAtArrow) throw new NeedsShell('it redirects a named descriptor')
      if (words.length === 0 && first.variable !== undefined) {
        this.#assign(variables, first, written.length)
        if (listedVariables.has(first.variable)) continue
        at.skipBlanks()
        const isAlone = at.isAtEndOfCommand && Object.keys(variables).length === 0 && redirects.length === 0
        if (!isAlone || this.#startsRedirect()) throw new NeedsShell(`it sets ${first.variable}`)
        // At run time it only succeeds: later words already contain the value.
        return { kind: 'command', words: [{ text: ':' }], variables, redirects }
      }
      if (words.length === 0) requireProgram(first, written.length)
      this.#words += written.length
      if (this.#words > mostWords) throw new NeedsShell('it has too many words')
      words.push(...written.map(({ word }) => word))
    }
    if (at.letter() === '(') throw new NeedsShell('it has a ( behind a word')
    return checked({ kind: 'command', words, variables, redirects })
  }

  #assign(variables: { [name: string]: string }, { variable = '', word }: WrittenWord, count: number): void {
    if (word.glob !== undefined || word.status !== undefined || count > 1)
      throw new NeedsShell(`it sets ${variable} to a pattern`)
    const value = word.text.slice(variable.length + 1)
    if (listedVariables.has(variable)) {
      variables[variable] = value
      return
    }
    // A second value would be ambiguous, and other values would be split or matched as patterns.
    const isPlain = /^[\w./@%+,:-]+$/.test(value) && !this.#at.values.has(variable)
    if (!isPlain || specialVariables.test(variable)) throw new NeedsShell(`it sets ${variable}`)
    this.#at.values.set(variable, value)
  }

  /** `[[ -f package.json ]]` with one plain word, which `test` evaluates the same way. */
  #question(): readonly Word[] {
    const at = this.#at
    const found = /^\[\[ +((?:! +)?)(-[defhnrswxzL]) +/.exec(at.source.slice(at.position, at.position + 100))
    if (found === null) throw new NeedsShell('it uses [[')
    at.skip(found[0].length)
    const [{ word, hasBraces }, ...more] = this.#readWords(false) as [WrittenWord, ...WrittenWord[]]
    const end = /^ +\]\]/.exec(at.source.slice(at.position, at.position + 100))?.[0]
    const isPlain = word.glob === undefined && word.status === undefined && !hasBraces && more.length === 0
    if (!isPlain || end === undefined || !at.isEndOfWord(end.length)) throw new NeedsShell('it uses [[')
    at.skip(end.length)
    at.skipBlanks()
    if (!at.isAtEndOfCommand && !this.#startsRedirect()) throw new NeedsShell('it uses [[')
    return ['test', ...(found[1] === '' ? [] : ['!']), found[2] as string, word.text].map((text) => ({
      text,
    }))
  }

  #readWords(mayAssign: boolean): readonly WrittenWord[] {
    return readWords(this.#at, mayAssign)
  }

  #startsRedirect(): boolean {
    const at = this.#at
    return at.isAtArrow || (at.letter() === '&' && at.letter(1) === '>')
  }

  #redirect(descriptor: number | undefined): Redirect[] {
    const at = this.#at
    if (at.letter() === '&') {
      const isAppend = at.letter(2) === '>'
      at.skip(isAppend ? 3 : 2)
      const path = this.#target()
      return [
        { fd: 1, kind: isAppend ? 'append' : 'write', path },
        { fd: 2, kind: 'copy', from: 1 },
      ]
    }
    return at.letter() === '<' ? this.#input(descriptor) : this.#output(descriptor)
  }

  #input(descriptor: number | undefined): Redirect[] {
    const at = this.#at
    const next = at.letter(1)
    if (descriptor !== undefined && descriptor !== 0) throw new NeedsShell('it redirects another descriptor')
    if (next === '<') {
      if (at.letter(2) === '<') throw new NeedsShell('it has a here-string (<<<)')
      const stripsTabs = at.letter(2) === '-'
      at.skip(stripsTabs ? 3 : 2)
      const redirect = { fd: 0 as const, kind: 'text' as const, text: '' }
      at.beginHereDocument(stripsTabs, (text) => {
        redirect.text = text
      })
      return [redirect]
    }
    if (next === '>' || next === '&' || next === '(') throw new NeedsShell(`it has <${next}`)
    at.skip(1)
    return [{ fd: 0, kind: 'read', path: this.#target() }]
  }

  #output(descriptor: number | undefined): Redirect[] {
    const at = this.#at
    if (descriptor === 0) throw new NeedsShell('it redirects another descriptor')
    const fd = descriptor === 2 ? 2 : 1
    const next = at.letter(1)
    if (next === '&') {
      const from = at.letter(2)
      const isWhole = at.isEndOfWord(3) && !(at.letter(3) === '&' && at.letter(4) === '>')
      if ((from !== '1' && from !== '2') || !isWhole) throw new NeedsShell('it redirects in an unusual way')
      at.skip(3)
      return [{ fd, kind: 'copy', from: from === '1' ? 1 : 2 }]
    }
    if (next === '|' || next === '(') throw new NeedsShell(`it has >${next}`)
    at.skip(next === '>' ? 2 : 1)
    return [{ fd, kind: next === '>' ? 'append' : 'write', path: this.#target() }]
  }

  #target(): string {
    const at = this.#at
    at.skipSpaces()
    if (at.isEndOfWord(0) || at.letter() === '#') throw new NeedsShell('it redirects to nothing')
    const written = this.#readWords(false)
    const [{ word, descriptor, hasBraces }] = written as [WrittenWord]
    const isPlain =
      written.length === 1 && word.glob === undefined && word.status === undefined && word.text !== ''
    if (!isPlain) throw new NeedsShell('it redirects to a pattern')
    if ((hasBraces || descriptor !== undefined) && at.isAtArrow)
      throw new NeedsShell('it redirects in an unusual way')
    // Bash itself serves some names below /dev, and a device is no file.
    if (word.text !== '/dev/null' && word.text.split('/').includes('dev'))
      throw new NeedsShell(`it redirects to ${word.text}`)
    return word.text
  }
}

/** Under `set -e` a line stops at the first step that fails, as with `&&` between all steps. Other operators change that. */
function strict(list: List): List {
  const isPlain = list.every(
    ({ after, stages }) => after === ';' && stages.every(({ kind }) => kind === 'command'),
  )
  if (!isPlain) throw new NeedsShell('it uses set, which only a shell has')
  return list.map(({ stages }, at) => ({ after: at === 0 ? ';' : '&&', stages }))
}

function requireProgram({ word, hasBraces }: WrittenWord, count: number): void {
  const { text, glob, status } = word
  if (glob !== undefined || status !== undefined || hasBraces || count > 1)
    throw new NeedsShell('the name of its program is a pattern')
  if (reservedWords.has(text)) throw new NeedsShell(`it uses ${text}`)
  if (shellBuiltins.has(text)) throw new NeedsShell(`it uses ${text}, which only a shell has`)
  if (text === '[' || text === ':') return
  if (!/^[\w./@+][\w./@+-]*$/.test(text)) throw new NeedsShell('the name of its program is unusual')
}

/** What the runner does by itself takes few words; and a descriptor is not opened by its name. */
function checked(command: Command): Command {
  const { words, variables, redirects } = command
  if (words.length === 0 && Object.keys(variables).length > 0)
    throw new NeedsShell('it sets a variable for the rest of the line')
  if (words.length === 0 && redirects.length === 0) throw new NeedsShell('its syntax is not plain')
  const [name, second, ...rest] = words.map(({ text }) => text)
  const isLiteral = words.every(({ glob, status }) => glob === undefined && status === undefined)
  if (words.some(({ text }) => /\/proc\/|\/dev\/(?:.*\/)?(?:std|fd|tty)/.test(`/${text}`)))
    throw new NeedsShell('it names a descriptor or a process as a file')
  if (name === 'cd' && (words.length !== 2 || !isLiteral || second === '' || second?.startsWith('-')))
    throw new NeedsShell('it uses cd without the name of a folder')
  if (name === 'pwd' && words.length > 1) throw new NeedsShell('it uses pwd with options')
  if (name === 'command') {
    const isQuestion =
      second === '-v' && rest.length === 1 && isLiteral && /^[\w.+-]+$/.test(rest[0] as string)
    if (!isQuestion || reservedWords.has(rest[0] as string) || shellBuiltins.has(rest[0] as string))
      throw new NeedsShell('it uses command, which only a shell has')
  }
  if (
    name === 'exit' &&
    !(words.length === 1 || (words.length === 2 && isLiteral && /^\d{1,3}$/.test(second ?? '')))
  )
    throw new NeedsShell('it uses exit with more than a number')
  if (name === 'export') {
    const [variable = ''] = second?.split('=') ?? []
    const isPlain = words.length === 2 && isLiteral && second?.includes('=') && listedVariables.has(variable)
    if (!isPlain) throw new NeedsShell('it uses export, which only a shell has')
  }
  if (words.some(({ status }) => status) && !/^(?:echo|printf|test|\[)$/.test(name ?? ''))
    throw new NeedsShell('it uses $?')
  return command
}
