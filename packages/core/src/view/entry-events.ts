/** Events of a session, created in the same way while it runs and when its journal is read, so that every fold sees the same. */
import type { AssistantEntry, EventEntry, ResultEntry, WireCall } from '../ports/entry.ts'
import type { EventBody } from '../ports/events.ts'
import type { DecidedBy, Risk } from '../ports/gate.ts'
import type { SpentBudget } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'

export function startedEvent(spec: SessionSpec, resumed: boolean): EventBody {
  return {
    type: 'session.started',
    agent: spec.agent.name,
    model: spec.model,
    work: spec.work.content,
    root: spec.root,
    depth: spec.depth,
    ...(spec.parent && { parent: spec.parent }),
    ...(spec.team && { team: spec.team }),
    ...(resumed && { resumed }),
    ...(spec.trace !== undefined && { trace: spec.trace }),
  }
}

export function replyEvent(
  entry: AssistantEntry,
  round: number,
  spec: SessionSpec,
  spent: SpentBudget | undefined,
): EventBody {
  return {
    type: 'reply.received',
    round,
    text: entry.content ?? '',
    calls: (entry.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      input: call.function.arguments,
    })),
    model: entry.model ?? spec.model,
    ...(entry.usage && { usage: entry.usage }),
    ...(spent && { spent }),
    ...(entry.stop && { stop: entry.stop }),
  }
}

/** `background`: the delegation was only started, and its result follows. */
export function settledEvent(entry: ResultEntry, background = false): EventBody {
  return {
    type: 'call.settled',
    call: entry.tool_call_id,
    outcome: entry.outcome ?? 'done',
    content: entry.content,
    ...(entry.code && { code: entry.code }),
    ...(background && { background }),
  }
}

const decisions: { readonly [type: string]: 'allow' | 'ask' | 'deny' } = {
  'call.started': 'allow',
  'call.held': 'ask',
  'call.refused': 'deny',
}

/** Returns the event for a recorded decision about a call, or `undefined` if the entry is not a decision. */
export function judgedEvent(entry: EventEntry, call: WireCall, spec: SessionSpec): EventBody | undefined {
  const decision = Object.hasOwn(decisions, entry.type) ? decisions[entry.type] : undefined
  if (decision === undefined || entry['by'] === undefined) return undefined
  const { by, rule, risk, reasons, input, content } = entry
  return {
    type: 'call.judged',
    call: call.id,
    agent: spec.agent.name,
    tool: call.function.name,
    input: input === undefined ? call.function.arguments : JSON.stringify(input),
    decision,
    by: by as DecidedBy,
    ...(typeof rule === 'string' && { rule }),
    ...(content !== undefined && { reason: content }),
    ...(typeof risk === 'string' && { risk: risk as Risk }),
    ...(Array.isArray(reasons) && { reasons: reasons as string[] }),
  }
}
