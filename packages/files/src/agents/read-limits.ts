import type { AgentLimits, Budget } from '@cadre/core'
import type { HeaderReader } from './header-reader.ts'

/** Ceilings. One that cannot be read is an error: running without it would be running without a limit. */
export function readLimits(header: HeaderReader): AgentLimits | undefined {
  const maxTurns = header.positive('maxturns')
  const timeoutSeconds = seconds(header)
  const budget = readBudget(header)
  if (maxTurns === undefined && timeoutSeconds === undefined && budget === undefined) return undefined
  return {
    ...(maxTurns !== undefined && { maxTurns }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(budget !== undefined && { budget }),
  }
}

const units: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600 }

/** Seconds, or `90s`, `5m`, `1h`. */
function seconds(header: HeaderReader): number | undefined {
  const field = header.take('timeout')
  if (field === undefined) return undefined
  const match = /^(\d+)\s*([smh]?)$/.exec(String(field.value).trim())
  const amount = match === null ? 0 : Number(match[1]) * (units[match[2] || 's'] as number)
  if (amount > 0 && Number.isSafeInteger(amount)) return amount
  header.wrong('timeout', field, 'must be seconds, or a number with s, m or h')
  return undefined
}

function readBudget(header: HeaderReader): Budget | undefined {
  const field = header.take('budget')
  if (field === undefined) return undefined
  if (field.fields === undefined) {
    header.wrong('budget', field, 'must hold tokens, cost or calls')
    return undefined
  }
  const budget: { tokens?: number; cost?: number; calls?: number } = {}
  for (const [key, part] of field.fields) {
    if (key !== 'tokens' && key !== 'cost' && key !== 'calls') {
      header.report('error', 'unknown-key', part.line, `budget has no ${key}; it has tokens, cost and calls.`)
    } else if (
      typeof part.value !== 'number' ||
      part.value <= 0 ||
      (key !== 'cost' && !Number.isSafeInteger(part.value))
    ) {
      header.report(
        'error',
        'wrong-value',
        part.line,
        `budget.${key} must be a ${key === 'cost' ? '' : 'whole '}number above 0, not ${JSON.stringify(part.value)}.`,
      )
    } else budget[key] = part.value
  }
  return budget
}
