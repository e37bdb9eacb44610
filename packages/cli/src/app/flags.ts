/** Flags that several commands share, written once. */

export const json = flag('Output for machines instead of people')

export const home = text(
  'The home folder; default: CADRE_HOME, else the nearest .cadre upward, else one at the git root',
  'DIR',
)

export const trust = flag('Trust what this folder brings (tool modules, rules) for this one command')

export const team = text(
  'A built-in team to work with, as NAME or NAME/VARIANT; `cadre init` lists them',
  'TEAM',
)

/** A flag that is there or not. */
export function flag(brief: string) {
  return { kind: 'boolean', brief, optional: true, withNegated: false } as const
}

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
