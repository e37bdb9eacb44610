import type { Word } from '../line/line.ts'
import { type Arguments, ArgumentsBuilder } from './arguments.ts'
import { isPlainAwk } from './plain-awk.ts'
import { isPlainFormat } from './plain-format.ts'
import { isPlainJq } from './plain-jq.ts'
import { isPlainSed } from './plain-sed.ts'
import type { Kind, OptionSpec, Spec } from './spec.ts'

/** Reads words as `getopt_long` does: options anywhere, clusters of letters, values attached or next, `--` ends them. */
export function readArguments(words: readonly Word[], spec: Spec): Arguments {
  return new ArgumentsReader(words, spec).read()
}

class ArgumentsReader {
  readonly #words: readonly Word[]
  readonly #spec: Spec
  readonly #found = new ArgumentsBuilder()
  #at = 0
  #operands: Word[] = []
  #hasPattern = false

  constructor(words: readonly Word[], spec: Spec) {
    this.#words = words
    this.#spec = spec
  }

  read(): Arguments {
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++] as Word
      const { text } = word
      if (text === '--' && word.glob === undefined) {
        this.#operands.push(...this.#words.slice(this.#at))
        break
      }
      if (text === '-' || !text.startsWith('-')) {
        this.#operands.push(word)
        if (!this.#spec.stopsAtOperand) continue
        this.#operands.push(...this.#words.slice(this.#at))
        break
      }
      if (text.startsWith('--')) this.#long(word)
      else if (this.#spec.takesNumber && /^-\d+$/.test(text)) continue
      else this.#cluster(word)
    }
    this.#placeOperands()
    return this.#found
  }

  #long(word: Word): void {
    const { text } = word
    const equals = text.indexOf('=')
    const name = equals < 0 ? text : text.slice(0, equals)
    const option = this.#spec.options.get(name)
    if (option === undefined) return void this.#found.reject(text, name)
    this.#hasPattern ||= option.givesPattern
    if (equals >= 0) {
      if (option.values !== 1) return void this.#found.reject(text, name)
      this.#value(option, { text: text.slice(equals + 1), ...(word.glob && { glob: word.glob }) }, text)
    } else this.#next(option, text)
  }

  #cluster({ text, glob }: Word): void {
    if (glob !== undefined) return void this.#found.reject(text)
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at]}`
      const option = this.#spec.options.get(name)
      if (option === undefined) return void this.#found.reject(text, name)
      this.#hasPattern ||= option.givesPattern
      if (option.values === 0) continue
      const rest = text.slice(at + 1)
      if (option.isOptional) {
        // What is attached is its value, or more letters: both readings have to be harmless.
        if (rest !== '') this.#value(option, { text: rest }, text)
        return
      }
      if (rest === '' || option.values === 2) return void this.#next(option, text)
      // `rg -f=FILE` opens FILE, other programs open `=FILE`.
      if (rest.startsWith('=')) this.#value(option, { text: rest.slice(1) }, text)
      return void this.#value(option, { text: rest }, text)
    }
  }

  /** Values in the next words. */
  #next(option: OptionSpec, written: string): void {
    if (option.isOptional) return
    for (let count = 0; count < option.values; count++) {
      const value = this.#words[this.#at++]
      if (value === undefined) return
      // If several files match, the first would become the value and the others operands.
      if (value.glob !== undefined) return void this.#found.reject(written)
      this.#value(option, value, written)
    }
  }

  #value({ kind = 'text' }: OptionSpec, value: Word, written: string): void {
    this.#place(kind, value, written)
  }

  #placeOperands(): void {
    const { operands, isOpen } = this.#spec
    const kinds = this.#hasPattern ? operands.filter((kind) => !isScript(kind)) : operands
    for (const [index, word] of this.#operands.entries()) {
      const kind = kinds[index] ?? (isOpen ? kinds.at(-1) : undefined)
      // Nobody knows how many files will match, nor which comes first.
      const isFixed = word.glob !== undefined && (!isOpen || index < kinds.length - 1)
      if (kind === undefined || isFixed) this.#found.reject(word.text)
      else this.#place(kind, word, word.text)
    }
  }

  #place(kind: Kind, word: Word, written: string): void {
    if (kind === 'path') return void this.#found.path(word)
    // From the top of the repository, which may lie above the workspace.
    if (kind === 'rev' && /^:(?![!^])|:(?:.*\/)?\.\.(?:\/|$)/.test(word.text))
      return void this.#found.reject(written)
    if (kind === 'rev') return void this.#found.path(word, !/^\.{0,2}\//.test(word.text))
    if (word.glob !== undefined && kind !== 'text' && kind !== 'pattern')
      return void this.#found.reject(written)
    // The names that match are looked up, whatever is done with them.
    if (word.glob !== undefined) this.#found.path(word)
    if (!isFit[kind](word.text)) this.#found.reject(written, word.text)
  }
}

function isScript(kind: Kind): boolean {
  return kind === 'pattern' || kind === 'sed'
}

const anything = () => true
const isFit: { readonly [kind in Kind]: (text: string) => boolean } = {
  text: anything,
  pattern: anything,
  path: anything,
  rev: anything,
  num: (text) => /^[+-]?[\d.]+[A-Za-z]{0,2}$/.test(text),
  word: (text) => /^[\w.+:@-]+$/.test(text) && !text.startsWith('-'),
  plus: (text) => text.startsWith('+'),
  sed: isPlainSed,
  awk: isPlainAwk,
  jq: isPlainJq,
  format: isPlainFormat,
}
