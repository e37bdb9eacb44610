import type { Problem } from '@cadre/channels'
import { readYaml } from '@cadre/disk'

/** The content of `storage/planner-checkin.yaml`. */
export interface CheckIn {
  readonly enabled: boolean
  /** Seconds. */
  readonly interval: number
  readonly session: string | undefined
  readonly last: string | undefined
  readonly count: number
  readonly reason: string | undefined
}

export interface CheckInReadResult {
  /** Absent if check-ins are disabled or the file is invalid. */
  readonly checkIn: CheckIn | undefined
  readonly problems: readonly Omit<Problem, 'file'>[]
}

export function readCheckIn(text: string): CheckInReadResult {
  const reading = readYaml({ text, path: 'storage/planner-checkin.yaml' })
  if (reading.kind === 'broken')
    return {
      checkIn: undefined,
      problems: reading.diagnostics.map(({ message, line, code }) => ({
        severity: 'error',
        message,
        code,
        ...(line !== undefined && { line }),
      })),
    }
  const { fields } = reading.root
  const value = (key: string) => {
    const said = fields?.get(key)?.value
    return said === undefined || said === null || typeof said === 'object' ? undefined : String(said)
  }
  const interval = Number(value('interval_seconds') ?? Number.NaN)
  if (!(interval > 0)) {
    const message = 'interval_seconds must be a number greater than 0'
    return {
      checkIn: undefined,
      problems: [{ severity: 'error', message, line: fields?.get('interval_seconds')?.line ?? 1 }],
    }
  }
  const count = Number(value('checkin_count') ?? 0)
  return {
    checkIn: {
      enabled: !/^(?:false|no|off)$/i.test(value('enabled') ?? ''),
      interval,
      session: value('planner_session') || undefined,
      last: value('last_checkin') || undefined,
      count: Number.isSafeInteger(count) && count >= 0 ? count : 0,
      reason: value('last_reason') || undefined,
    },
    problems: [],
  }
}

const keys = { last: 'last_checkin', count: 'checkin_count', reason: 'last_reason' } as const

/** Updates the file's text, and keeps everything else unchanged. */
export function writeCheckIn(text: string, change: Partial<CheckIn>): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  let written = text
  for (const [name, key] of Object.entries(keys)) {
    const value = change[name as keyof typeof keys]
    if (value === undefined) continue
    const line = `${key}: ${typeof value === 'number' ? value : `'${value.replaceAll("'", "''")}'`}`
    const known = new RegExp(`^${key}[ \\t]*:[^\\r\\n]*`, 'm')
    if (known.test(written)) written = written.replace(known, () => line)
    else written = `${written}${written === '' || written.endsWith('\n') ? '' : eol}${line}${eol}`
  }
  return written
}
