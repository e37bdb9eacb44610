import type { Located } from '@cadre/disk'
import type { HookDialect } from './hook.ts'
import type { ReportHookProblem } from './read-hook-entry.ts'

/** In seconds. */
const defaults: { readonly [dialect in HookDialect]: number } = { vscode: 30, copilot: 30, claude: 60 }
/** Longer hook timeouts are rare. */
const likely = 600
/** The maximum of a timer. */
const maxTimeout = 2_000_000

/** The dialect decides which of the two keys takes precedence; both are in seconds. */
export function readTimeout(
  fields: ReadonlyMap<string, Located>,
  dialect: HookDialect,
  say: ReportHookProblem,
): number {
  const order = dialect === 'copilot' ? ['timeoutSec', 'timeout'] : ['timeout', 'timeoutSec']
  for (const key of order) {
    const field = fields.get(key)
    if (field === undefined || field.value === null) continue
    const { line, value } = field
    if (typeof value !== 'number' || value <= 0) {
      say(
        'warning',
        line,
        'hook-timeout',
        `${key} must be a number of seconds greater than 0. Cadre uses ${defaults[dialect]}.`,
      )
      continue
    }
    if (value > likely)
      say(
        'info',
        line,
        'hook-timeout-seconds',
        `${key} is in seconds: ${value} seconds is ${Math.round(value / 60)} minutes.`,
        `If you meant milliseconds, write ${Math.max(1, Math.round(value / 1_000))}.`,
      )
    return Math.min(value, maxTimeout) * 1_000
  }
  return defaults[dialect] * 1_000
}
