/** Flags that several commands share, written once. */

export const json = flag('Output for machines instead of people')

export const home = text(
  'The home folder; default: CADRE_HOME, else the nearest .cadre up to the git root, else one there',
  'DIR',
)

export const trust = flag('Trust this folder and its home directory for this one command')

export const team = text(
  'A built-in team to work with, as NAME or NAME/VARIANT; `cadre init` lists them',
  'TEAM',
)

/** What may happen without a person, for one command. No policy is widened by any of these. */
export const gateFlags = {
  allow: {
    kind: 'enum',
    values: ['write', 'execute', 'outbound'],
    brief:
      'Do not ask for this kind of effect in this run, also when it is resumed, where no policy says otherwise; may be given several times',
    placeholder: 'EFFECT',
    optional: true,
    variadic: true,
  },
  noHuman: flag('Nobody can be asked: whatever needs an approval is refused'),
} as const

/** What holds for every agent of a run, however deep, and when it is resumed. */
export const controlFlags = {
  readOnly: flag('Nobody in this run writes, runs programs or reaches outside'),
  approvalRequired: flag('Every effect of this run waits for an approval, whatever a rule permits'),
  denyTool: {
    ...text('A tool or a class of tools that nobody in this run uses; may be given several times', 'NAME'),
    variadic: true,
  },
} as const

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
