import type { JsonObject } from '@cadre/core'

/** An audit log line for display: when, what, and who or what decided. */
export interface AuditLine {
  readonly at: string
  readonly type: string
  readonly title: string
  readonly detail: string
  readonly decision?: string
  readonly session?: string
}

/** Any version of Cadre may have written a line, so the only assumption is that it is an object. */
export function auditLine(line: JsonObject): AuditLine {
  const text = (name: string) => (typeof line[name] === 'string' ? (line[name] as string) : undefined)
  const type = text('type') ?? 'unknown'
  const decision = text('decision')
  const session = text('session')
  return {
    at: text('at') ?? '',
    type,
    title: [text('agent'), text('tool') ?? text('question') ?? text('outcome')].filter(Boolean).join(' · '),
    detail: detailOf(line, text),
    ...(decision !== undefined && { decision }),
    ...(session !== undefined && { session }),
  }
}

function detailOf(line: JsonObject, text: (name: string) => string | undefined): string {
  const by = [text('by') ?? text('person'), text('rule')].filter(Boolean).join(' ')
  const input = line['input']
  const what =
    input === undefined ? (text('message') ?? '') : typeof input === 'string' ? input : JSON.stringify(input)
  return [by, text('reason'), what].filter(Boolean).join(' · ')
}

/** A command that finds the same lines in the files. */
export function auditCommand(home: string, filter: Readonly<Record<string, string>>): string {
  const conditions = ['type', 'session', 'decision'].flatMap((name) => {
    const value = filter[name]
    if (value === undefined || value === '') return []
    if (name !== 'type') return [`.${name} == ${JSON.stringify(value)}`]
    return [
      `(.type | IN(${value
        .split(',')
        .map((one) => JSON.stringify(one))
        .join(', ')}))`,
    ]
  })
  const program = conditions.length === 0 ? '.' : `select(${conditions.join(' and ')})`
  const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
  // The star must be outside the quotes.
  return `jq -c ${quoted(program)} ${quoted(`${home.replace(/\/+$/, '')}/events/`)}*.jsonl`
}
