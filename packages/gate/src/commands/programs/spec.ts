import { isSafeAwkProgram, isSafeGitFormat, isSafeJqFilter } from './safe-scripts.ts'
import { isSafeSedScript } from './safe-sed.ts'

const anything = () => true

/** The kinds of values and operands, and which texts are harmless for each. Paths are judged separately. */
export const operandKinds = {
  text: anything,
  /** A text, unless an option marked with `!` already provides it. */
  pattern: anything,
  path: anything,
  /** A revision, or a path in the repository. */
  rev: anything,
  num: (text: string) => /^[+-]?[\d.]+[A-Za-z]{0,2}$/.test(text),
  word: (text: string) => /^[\w.+:@-]+$/.test(text) && !text.startsWith('-'),
  plus: (text: string) => text.startsWith('+'),
  sed: isSafeSedScript,
  awk: isSafeAwkProgram,
  jq: isSafeJqFilter,
  format: isSafeGitFormat,
} satisfies { readonly [kind: string]: (text: string) => boolean }

export type OperandKind = keyof typeof operandKinds

/**
 * The arguments that a program may have without approval. An unlisted option or an extra operand needs approval.
 *
 * A spec is one line: `-abc` are flags, `-n=num` and `--lines=num` take a value, `--color?=text` takes one only after `=`
 * (for a short option, only attached), `-#` is a number such as `-20`, `--arg=2text` takes two. Operands follow ` : ` in
 * order; the last may end with `*` for any number of them. A spec that starts with `+` is for a program that treats every
 * word after its first operand as an operand.
 */
export interface ProgramSpec {
  readonly options: ReadonlyMap<string, OptionSpec>
  readonly takesNumber: boolean
  /** There are no options after the first operand. */
  readonly stopsAtOperand: boolean
  readonly operands: readonly OperandKind[]
  /** The last kind of operand may be repeated. */
  readonly isOpen: boolean
}

export interface OptionSpec {
  /** The kind of its values. */
  readonly kind: OperandKind
  readonly values: 0 | 1 | 2
  /** The value is optional, and never the next word. */
  readonly isOptional: boolean
  readonly givesPattern: boolean
}

const known = new Map<string, ProgramSpec>()

/** Parsed on first use, then cached. */
export function readSpec(text: string): ProgramSpec {
  const before = known.get(text)
  if (before !== undefined) return before
  const spec = parse(text)
  known.set(text, spec)
  return spec
}

/** Parses a table with one line for one or more names: names | options | operands. */
export function readTable(text: string): { readonly [name: string]: string } {
  const rows = text.trim().split('\n')
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [names = '', options, operands] = row.split('|').map((part) => part.trim())
      return names.split(', ').map((name) => [name, `${options} : ${operands}`])
    }),
  )
}

/** Returns the spec with that name in a table, or undefined. */
export function findSpec(table: { readonly [name: string]: string }, name: string): ProgramSpec | undefined {
  return Object.hasOwn(table, name) ? readSpec(table[name] as string) : undefined
}

function parse(text: string): ProgramSpec {
  const [given = [], operands = []] = text.split(' : ').map((part) => part.split(' ').filter(Boolean))
  const options = new Map<string, OptionSpec>()
  const stopsAtOperand = given[0] === '+'
  for (const item of given.slice(stopsAtOperand ? 1 : 0)) {
    const found = /^(-[^=?!]+)!?(\??)(?:=!?(2?)([a-z]+))?$/.exec(item)
    if (found === null) throw new Error(`unreachable: invalid option ${item}`)
    const [, name = '', optional, two, kind] = found
    const option: OptionSpec = {
      kind: (kind ?? 'text') as OperandKind,
      values: kind === undefined ? 0 : two === '2' ? 2 : 1,
      isOptional: optional === '?',
      givesPattern: item.includes('!'),
    }
    // Letters of a cluster are separate options; only a single letter can have a value.
    const isOne = name.startsWith('--') || kind !== undefined
    for (const one of isOne ? [name] : [...name.slice(1)].map((letter) => `-${letter}`))
      options.set(one, option)
  }
  return {
    options,
    takesNumber: options.delete('-#'),
    stopsAtOperand,
    operands: operands.map((kind) => kind.replace('*', '') as OperandKind),
    isOpen: operands.at(-1)?.endsWith('*') === true,
  }
}
