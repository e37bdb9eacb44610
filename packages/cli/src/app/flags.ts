/** Flags that several commands share. */
import { type Allowed, isAllowed } from '@cadre/core'

export const jsonFlag = booleanFlag('Print JSON')

export const homeFlag = textFlag(
  'The home directory. Default: CADRE_HOME, or else the nearest .cadre folder up to the git root, or else .cadre in the git root',
  'DIR',
)

/** The values of `scriptFlags`. `RunFlags`, `ResumeFlags` and `ForkFlags` include them. */
export interface ScriptFlags {
  readonly failOnDeny?: boolean
  readonly quiet?: boolean
}

/** Flags for scripts that start a run. */
export const scriptFlags = {
  failOnDeny: booleanFlag('Exit with code 4 if a rule or a person denied a call'),
  quiet: booleanFlag('Print only the answer, without progress'),
} as const satisfies { readonly [flag in keyof Required<ScriptFlags>]: object }

/** `-q` and, as in other programs, `-p` for print. */
export const scriptAliases = { q: 'quiet', p: 'quiet' } as const

export const trustFlag = booleanFlag('Trust this folder and its home directory for this command only')

export const teamFlag = textFlag(
  'A built-in team to use, as NAME or NAME/VARIANT; "cadre init" lists them',
  'TEAM',
)

/** Permissions without a person, for one command. None of them loosens a policy. */
export const gateFlags = {
  allow: {
    kind: 'parsed',
    parse: allowed,
    brief:
      'Allow calls with this effect (write, execute, outbound) or to this MCP tool (server/tool) without approval, unless a policy forbids them. Also applies when the run is resumed; repeatable',
    placeholder: 'EFFECT',
    optional: true,
    variadic: true,
  },
  noHuman: booleanFlag('Run unattended: deny every call that needs an approval'),
} as const

/** Controls for every agent of a run, at any depth, including when it is resumed. */
export const controlFlags = {
  readOnly: booleanFlag('No agent in this run may write files, run programs or reach the network'),
  approvalRequired: booleanFlag(
    'Require approval for every call that is not read-only, even if a rule allows it',
  ),
  denyTool: {
    ...textFlag('Deny a tool or a tool class to every agent in this run; repeatable', 'NAME'),
    variadic: true,
  },
} as const

/** A boolean flag. */
export function booleanFlag(brief: string) {
  return { kind: 'boolean', brief, optional: true, withNegated: false } as const
}

/** The value of `--allow`. */
function allowed(input: string): Exclude<Allowed, 'read'> {
  if (input !== 'read' && isAllowed(input)) return input as Exclude<Allowed, 'read'>
  throw new RangeError('must be write, execute, outbound, or an MCP tool such as github/get_issue')
}

/** A flag that takes text. */
export function textFlag(brief: string, placeholder: string) {
  return { kind: 'parsed', parse: String, brief, placeholder, optional: true } as const
}

/** A flag that takes a whole number of at least `min`. */
export function countFlag(brief: string, min: number) {
  const parse = (input: string) => {
    const value = Number(input)
    if (input.trim() !== '' && Number.isSafeInteger(value) && value >= min) return value
    throw new RangeError(`must be an integer of at least ${min}`)
  }
  return { kind: 'parsed', parse, brief, placeholder: 'N', optional: true } as const
}

/** A flag that takes a port. With 0, the system chooses a free one. */
export function portFlag(brief: string) {
  const parse = (input: string) => {
    const value = Number(input)
    if (/^\d+$/.test(input) && value <= 65_535) return value
    throw new RangeError('must be a port: an integer from 0 to 65535')
  }
  return { kind: 'parsed', parse, brief, placeholder: 'N', optional: true } as const
}

/** A flag that takes an amount of US dollars. */
export function dollarsFlag(brief: string) {
  const parse = (input: string) => {
    const value = Number(input.replace(/^\$/, ''))
    if (input.trim() !== '' && Number.isFinite(value) && value > 0) return value
    throw new RangeError('must be an amount of US dollars greater than 0, for example 0.50')
  }
  return { kind: 'parsed', parse, brief, placeholder: 'USD', optional: true } as const
}
