import type { TypedFlagParameter } from '@stricli/core'

/** Flags that several commands share, written once. */

export const json = {
  kind: 'boolean',
  brief: 'Output for machines instead of people',
  optional: true,
  withNegated: false,
} as const satisfies TypedFlagParameter<boolean | undefined>

export const home = {
  kind: 'parsed',
  parse: String,
  brief: 'The home folder; default: CADRE_HOME, else the nearest .cadre upward, else one at the git root',
  placeholder: 'DIR',
  optional: true,
} as const satisfies TypedFlagParameter<string | undefined>

export const trust = {
  kind: 'boolean',
  brief: 'Trust what this folder brings (tool modules, rules) for this one command',
  optional: true,
  withNegated: false,
} as const satisfies TypedFlagParameter<boolean | undefined>

export const team = {
  kind: 'parsed',
  parse: String,
  brief: 'A built-in team to work with, as NAME or NAME/VARIANT; `cadre init` lists them',
  placeholder: 'TEAM',
  optional: true,
} as const satisfies TypedFlagParameter<string | undefined>

/** A flag that takes text. */
export function text(brief: string, placeholder: string) {
  return { kind: 'parsed', parse: String, brief, placeholder, optional: true } as const
}

/** A flag that takes a whole number of at least `least`. */
export function count(brief: string, least: number) {
  const parse = (input: string) => {
    const value = Number(input)
    if (input.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value
    throw new RangeError(`must be a whole number of at least ${least}`)
  }
  return { kind: 'parsed', parse, brief, placeholder: 'N', optional: true } as const
}

/** A flag that takes an amount of US dollars. */
export function dollars(brief: string) {
  const parse = (input: string) => {
    const value = Number(input.replace(/^\$/, ''))
    if (input.trim() !== '' && Number.isFinite(value) && value > 0) return value
    throw new RangeError('must be an amount of US dollars greater than 0, for example 0.50')
  }
  return { kind: 'parsed', parse, brief, placeholder: 'USD', optional: true } as const
}
