import type { AgentLimits, Budget } from '@cadre/core'
import type { Located } from '@cadre/disk'
import { type HeaderReader, minimum } from './header-reader.ts'

/** Reads limits. An invalid one is an error, because running without it would be unlimited. */
export function readLimits(header: HeaderReader): AgentLimits | undefined {
  const maxTurns = minimum([header.positive('maxturns'), steps(header)])
  const timeoutSeconds = minimum(header.takeAll('timeout').map((field) => seconds(field, header)))
  const budget = smallestBudget(header.takeAll('budget').map((field) => readBudget(field, header)))
  if (maxTurns === undefined && timeoutSeconds === undefined && budget === undefined) return undefined
  return {
    ...(maxTurns !== undefined && { maxTurns }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(budget !== undefined && { budget }),
  }
}

/** opencode's name for rounds. Elsewhere, `steps` may be a list of things to do, which limits nothing. */
function steps(header: HeaderReader): number | undefined {
  const field = header.peek('steps')
  const isList = field?.items !== undefined || field?.fields !== undefined
  return isList && header.dialect !== 'opencode' ? undefined : header.positive('steps')
}

const units: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600 }

/** Seconds, or `90s`, `5m`, `1h`. */
function seconds(field: Located, header: HeaderReader): number | undefined {
  const match = /^(\d+)\s*([smh]?)$/.exec(String(field.value).trim())
  const amount = match === null ? 0 : Number(match[1]) * (units[match[2] || 's'] as number)
  if (amount > 0 && Number.isSafeInteger(amount)) return amount
  header.wrong('timeout', field, 'must be a number of seconds, or a number with s, m or h')
  return undefined
}

const kinds = ['tokens', 'cost', 'calls'] as const

function readBudget(field: Located, header: HeaderReader): Budget | undefined {
  if (field.fields === undefined) {
    header.wrong('budget', field, 'must contain tokens, cost or calls')
    return undefined
  }
  const budget: { tokens?: number; cost?: number; calls?: number } = {}
  for (const [key, { value, line }] of field.fields) {
    const kind = kinds.find((known) => known === key)
    if (kind === undefined) {
      header.report(
        'error',
        'unknown-key',
        line,
        `unknown key ${key} in budget. Known keys: tokens, cost, calls.`,
      )
    } else if (typeof value !== 'number' || value <= 0 || (kind !== 'cost' && !Number.isSafeInteger(value))) {
      const rule = `must be a ${kind === 'cost' ? '' : 'whole '}number greater than 0`
      header.report('error', 'wrong-value', line, `budget.${kind} ${rule}, not ${JSON.stringify(value)}.`)
    } else budget[kind] = value
  }
  return budget
}

function smallestBudget(budgets: readonly (Budget | undefined)[]): Budget | undefined {
  const given = budgets.filter((budget) => budget !== undefined)
  if (given.length === 0) return undefined
  const smallest = kinds.map((kind) => [kind, minimum(given.map((budget) => budget[kind]))] as const)
  return Object.fromEntries(smallest.filter(([, amount]) => amount !== undefined)) as Budget
}
