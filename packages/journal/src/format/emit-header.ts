import type { Json, ReportStatus, SessionSpec, SessionStatus } from '@cadre/core'
import { flow, scalar } from '@cadre/disk'
import { emitKey } from './emit-entry.ts'

/** The byte offsets of the fields that are rewritten in place. */
export interface HeaderLayout {
  /** The offset of `updated`. `status` follows it. */
  readonly stampAt: number
  readonly outcomeAt: number
}

export interface HeaderState {
  readonly status: SessionStatus
  readonly outcome: ReportStatus | undefined
  readonly updated: string
  /** Metadata of a person or another program. Kept unchanged. */
  readonly extra?: { readonly [key: string]: Json }
}

export const statusWidth = 'completed'.length
export const outcomeWidth = 'incomplete'.length
// The comments list the valid values, and preserve the padding in editors that strip trailing spaces.
export const statusComment = ' # active | sleeping | completed | error'
export const outcomeComment = ' # null | completed | incomplete | error | cancelled'

/** Everything before the first entry. Header and entries are sufficient to resume the session. */
export function emitHeader(spec: SessionSpec, state: HeaderState): { text: string; layout: HeaderLayout } {
  const { agent } = spec
  const top =
    `session_id: ${scalar(spec.id, '  ')}\nagent_id: ${scalar(agent.name, '  ')}\n` +
    `agent_type: ${scalar(agent.type ?? agent.name, '  ')}\nmodel: ${scalar(spec.model, '  ')}\n` +
    (spec.parent ? `parent: ${scalar(`${spec.parent.session}/${spec.parent.call}`, '  ')}\n` : '') +
    `created: ${scalar(spec.created, '  ')}\n`
  const middle =
    `${emitStamp(state.updated, state.status)}${statusComment}\n` +
    `system_prompt: ${scalar(spec.systemPrompt, '  ')}\nmetadata:\n`
  const rest = `${emitOutcome(state.outcome)}${outcomeComment}\n${emitMetadata(spec, state.extra)}messages:\n`
  const stampAt = Buffer.byteLength(top)
  return { text: top + middle + rest, layout: { stampAt, outcomeAt: stampAt + Buffer.byteLength(middle) } }
}

/** Always the same number of bytes, because it overwrites the old stamp. */
export function emitStamp(updated: string, status: SessionStatus): string {
  return `updated: '${fixedWidth(updated)}'\nstatus: ${status.padEnd(statusWidth)}`
}

/** Converts timestamps of other programs to Cadre's format. Drops invalid ones. */
function fixedWidth(time: string): string {
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  if (iso.test(time)) return time
  const parsed = Date.parse(time)
  const text = new Date(Number.isNaN(parsed) ? 0 : parsed).toISOString()
  return iso.test(text) ? text : new Date(0).toISOString()
}

export function emitOutcome(outcome: ReportStatus | undefined): string {
  return `  outcome: ${(outcome ?? 'null').padEnd(outcomeWidth)}`
}

/** The sender, the id and the people of the work, so that a session without entries receives it with all of them. */
function workMetadata({
  from,
  message,
  by,
}: SessionSpec['work']): Omit<SessionSpec['work'], 'content'> | undefined {
  if (from === undefined && message === undefined && by === undefined) return undefined
  return {
    ...(from !== undefined && { from }),
    ...(message !== undefined && { message }),
    ...(by !== undefined && { by }),
  }
}

function emitMetadata(spec: SessionSpec, extra: { readonly [key: string]: Json } = {}): string {
  const { prompt, ...agent } = spec.agent
  const fields: [string, unknown][] = [
    ['root', spec.root],
    ['depth', spec.depth],
    ['chain', spec.chain],
    ['targets', spec.targets],
    ['completion', spec.completion],
    ['output_schema', spec.outputSchema],
    ['delegation', spec.delegation],
    ['limits', spec.limits],
    ['controls', spec.controls],
    ['workspace', spec.workspace],
    ['isolation', spec.isolation],
    ['team', spec.team],
    ['work', spec.work.images === undefined ? spec.work.content : spec.work],
    ['said', spec.work.images === undefined ? workMetadata(spec.work) : undefined],
    ['history', spec.history],
    ['trace', spec.trace],
    ['started_by', spec.startedBy],
    ['agent', agent],
    // Usually a prefix of the system prompt, so its length is enough.
    ['agent_prompt', spec.systemPrompt.startsWith(prompt) ? prompt.length : prompt],
    ...Object.entries(extra),
  ]
  return fields
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `  ${emitKey(key)}: ${typeof value === 'string' ? scalar(value, '    ') : flow(value)}\n`,
    )
    .join('')
}
