import type { Json, ReportStatus, SessionSpec, SessionStatus } from '@cadre/core'
import { flow, scalar } from '@cadre/disk'
import { emitKey } from './emit-entry.ts'

/** Where the fields lie that are rewritten in place, in bytes from the beginning of the file. */
export interface Layout {
  /** Of `updated`, which `status` follows. */
  readonly stampAt: number
  readonly outcomeAt: number
}

export interface HeaderState {
  readonly status: SessionStatus
  readonly outcome: ReportStatus | undefined
  readonly updated: string
  /** Metadata that is not part of the specification: a person's, or another program's. Kept as it is. */
  readonly extra?: { readonly [key: string]: Json }
}

export const statusWidth = 'completed'.length
export const outcomeWidth = 'incomplete'.length
// Comments keep the padding alive in editors that cut trailing spaces, and tell a reader what may stand there.
export const statusRemark = ' # active | sleeping | completed | error'
export const outcomeRemark = ' # null | completed | incomplete | error | cancelled'

/** Everything before the first entry. With the entries it is all that is needed to continue the session. */
export function emitHeader(spec: SessionSpec, state: HeaderState): { text: string; layout: Layout } {
  const { agent } = spec
  const top =
    `session_id: ${scalar(spec.id, '  ')}\nagent_id: ${scalar(agent.name, '  ')}\n` +
    `agent_type: ${scalar(agent.type ?? agent.name, '  ')}\nmodel: ${scalar(spec.model, '  ')}\n` +
    (spec.parent ? `parent: ${scalar(`${spec.parent.session}/${spec.parent.call}`, '  ')}\n` : '') +
    `created: ${scalar(spec.created, '  ')}\n`
  const middle =
    `${emitStamp(state.updated, state.status)}${statusRemark}\n` +
    `system_prompt: ${scalar(spec.systemPrompt, '  ')}\nmetadata:\n`
  const rest = `${emitOutcome(state.outcome)}${outcomeRemark}\n${emitMetadata(spec, state.extra)}messages:\n`
  const stampAt = Buffer.byteLength(top)
  return { text: top + middle + rest, layout: { stampAt, outcomeAt: stampAt + Buffer.byteLength(middle) } }
}

/** Always the same number of bytes: written over the old one when the status changes. */
export function emitStamp(updated: string, status: SessionStatus): string {
  return `updated: '${fixedWidth(updated)}'\nstatus: ${status.padEnd(statusWidth)}`
}

/** A time of another form, as other programs write it, in ours. One that is none cannot be kept. */
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

/** Who said the work, and under which id: a session that was begun and has heard nothing yet hears it as it was said. */
function saidOf({ from, message }: SessionSpec['work']): { from?: string; message?: string } | undefined {
  if (from === undefined && message === undefined) return undefined
  return { ...(from !== undefined && { from }), ...(message !== undefined && { message }) }
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
    ['said', spec.work.images === undefined ? saidOf(spec.work) : undefined],
    ['history', spec.history],
    ['agent', agent],
    // Nearly always the beginning of the system prompt, which then need not be written twice.
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
