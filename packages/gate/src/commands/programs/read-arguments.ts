import type { Word } from '../line/line.ts'
import { Arguments } from './arguments.ts'
import { type OperandKind, type OptionSpec, operandKinds, type ProgramSpec } from './spec.ts'

/**
 * Parses words as `getopt_long` does: options anywhere, clusters of letters, values attached or in the next word, `--` ends
 * options.
 */
export function readArguments(words: readonly Word[], spec: ProgramSpec, found = new Arguments()): Arguments {
  const operands: Word[] = []
  let at = 0
  let hasPattern = false
  while (at < words.length) {
    const word = words[at++] as Word
    const { text } = word
    const isOperand = text === '-' || !text.startsWith('-')
    if (isOperand) operands.push(word)
    if ((text === '--' && word.glob === undefined) || (isOperand && spec.stopsAtOperand)) {
      operands.push(...words.slice(at))
      break
    }
    if (isOperand || (spec.takesNumber && /^-\d+$/.test(text))) continue
    if (text.startsWith('--')) readLong(word)
    else readCluster(word)
  }
  placeOperands()
  return found

  function readLong({ text, glob }: Word): void {
    const equals = text.indexOf('=')
    const name = equals < 0 ? text : text.slice(0, equals)
    const option = spec.options.get(name)
    if (option === undefined) return void found.reject(text, name)
    hasPattern ||= option.givesPattern
    if (equals < 0) readNext(option, text)
    else if (option.values !== 1) found.reject(text, name)
    else place(option.kind, { text: text.slice(equals + 1), ...(glob && { glob }) }, text)
  }

  function readCluster({ text, glob }: Word): void {
    if (glob !== undefined) return void found.reject(text)
    for (let letter = 1; letter < text.length; letter++) {
      const name = `-${text[letter]}`
      const option = spec.options.get(name)
      if (option === undefined) return void found.reject(text, name)
      hasPattern ||= option.givesPattern
      if (option.values === 0) continue
      const rest = text.slice(letter + 1)
      if (option.isOptional) {
        // The attached text is its value or more flags: both readings must be harmless.
        if (rest !== '') place(option.kind, { text: rest }, text)
        return
      }
      if (rest === '' || option.values === 2) return void readNext(option, text)
      // `rg -f=FILE` opens FILE, other programs open `=FILE`.
      if (rest.startsWith('=')) place(option.kind, { text: rest.slice(1) }, text)
      return void place(option.kind, { text: rest }, text)
    }
  }

  /** Values are in the next words. */
  function readNext({ kind, values, isOptional }: OptionSpec, written: string): void {
    if (isOptional) return
    for (let count = 0; count < values; count++) {
      const value = words[at++]
      if (value === undefined) return
      // If several files match, the first would become the value and the others operands.
      if (value.glob !== undefined) return void found.reject(written)
      place(kind, value, written)
    }
  }

  function placeOperands(): void {
    const { isOpen } = spec
    const expected = hasPattern
      ? spec.operands.filter((kind) => kind !== 'pattern' && kind !== 'sed')
      : spec.operands
    operands.forEach((word, index) => {
      const kind = expected[index] ?? (isOpen ? expected.at(-1) : undefined)
      // The number and order of matching files are unknown.
      const isFixed = word.glob !== undefined && (!isOpen || index < expected.length - 1)
      if (kind === undefined || isFixed) found.reject(word.text)
      else place(kind, word, word.text)
    })
  }

  function place(kind: OperandKind, word: Word, written: string): void {
    if (kind === 'path') return void found.path(word)
    // Relative to the top of the repository, which may be above the workspace.
    if (kind === 'rev' && /^:(?![!^])|:(?:.*\/)?\.\.(?:\/|$)/.test(word.text))
      return void found.reject(written)
    if (kind === 'rev') return void found.path(word, !/^\.{0,2}\//.test(word.text))
    if (word.glob !== undefined && kind !== 'text' && kind !== 'pattern') return void found.reject(written)
    // Matching names are checked, whatever the program does with them.
    if (word.glob !== undefined) found.path(word)
    if (!operandKinds[kind](word.text)) found.reject(written, word.text)
  }
}
