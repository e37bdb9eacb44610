import type { LifecycleEvent, LifecycleHandler, LifecycleResponse, Report, SessionSpec } from '@cadre/core'
import type { HookParts } from './create-hooks.ts'
import type { Hook } from './hook.ts'
import { noticesOf } from './hook-runner.ts'
import { toHostCalls } from './host-calls.ts'
import type { MatchSubject } from './matches-hook.ts'
import type { HookOccurrence, SessionEndReason } from './payload.ts'

/** An event of a session in the form that hooks receive; undefined if there is no such hook event. */
interface HookOccasion {
  readonly event: HookOccurrence['event']
  readonly subject: MatchSubject
  /** One payload, or one for each file of a call. */
  readonly happenings: (hook: Hook) => readonly HookOccurrence[]
}

const nothing: MatchSubject = { kind: 'nothing' }

/** Handles all events that decide nothing. A hook that fails here blocks nothing, but Cadre reports it. */
export function createHookHandler({ hooksFor, runner, place }: HookParts): LifecycleHandler {
  return (moment, session, signal) => {
    const happened = read(moment, session)
    if (happened === undefined) return undefined
    const { event, subject, happenings } = happened
    const hooks = hooksFor(event, session, subject)
    return hooks.length === 0 ? undefined : onLifecycleEvent()

    async function onLifecycleEvent(): Promise<LifecycleResponse> {
      const contexts: string[] = []
      const blocks: string[] = []
      const notices: string[] = []
      let content: string | undefined
      let stop: string | undefined
      for (const hook of hooks) {
        for (const happening of happenings(hook)) {
          const told = content === undefined ? happening : withResult(happening, content)
          const answer = await runner.run(hook, told, session, signal)
          notices.push(...noticesOf(place(hook), answer))
          if (answer.context !== undefined) contexts.push(answer.context)
          if (answer.blocked !== undefined) blocks.push(answer.blocked)
          content = answer.content ?? content
          stop ??= answer.stop
        }
        if (blocks.length > 0 && event === 'UserPromptSubmit') break
      }
      return {
        ...(contexts.length > 0 && { context: contexts.join('\n\n') }),
        ...(content !== undefined && { content }),
        ...(blocks.length > 0 && { blocked: blocks.join('\n\n') }),
        ...(stop !== undefined && { stop }),
        ...(notices.length > 0 && { notices: notices.map((message) => ({ code: 'hook', message })) }),
      }
    }
  }
}

/** For hooks, a delegated session has no prompt or end of its own: it is one subagent, from start to stop. */
function read(moment: LifecycleEvent, session: SessionSpec): HookOccasion | undefined {
  const isEntry = session.parent === undefined
  const { agent } = session
  const values = (...given: string[]): MatchSubject => ({ kind: 'values', values: given })
  switch (moment.kind) {
    case 'session.started':
      if (!isEntry)
        return singleOccasion(
          { event: 'SubagentStart' },
          values(...(agent.type === undefined ? [] : [agent.type]), agent.name),
        )
      return singleOccasion(
        { event: 'SessionStart', source: moment.source, prompt: session.work.content },
        values(moment.source, ...(moment.source === 'startup' ? ['new'] : [])),
      )
    case 'prompt.given':
      return isEntry
        ? singleOccasion({ event: 'UserPromptSubmit', prompt: moment.prompt }, nothing)
        : undefined
    case 'call.settled':
      return settled(moment, session)
    case 'call.starting':
      return undefined
    case 'person.awaited': {
      const { call, verdict } = moment
      const message = `${agent.name} needs a decision about ${call.tool.name}: ${verdict.reason ?? verdict.rule}`
      const type = 'permission_prompt'
      return singleOccasion(
        { event: 'Notification', message, title: 'Permission needed', type },
        values(type),
      )
    }
    case 'context.compacting':
      return singleOccasion({ event: 'PreCompact' }, values('auto'))
    case 'error.occurred':
      return singleOccasion({ event: 'ErrorOccurred', code: moment.code, message: moment.message }, nothing)
    case 'session.ended': {
      if (!isEntry) return undefined
      const reason = reasonOf(moment.report)
      return singleOccasion({ event: 'SessionEnd', reason }, values(reason, 'other'))
    }
  }
}

function reasonOf({ status, notices = [] }: Report): SessionEndReason {
  if (status === 'error') return notices.at(-1)?.code === 'timeout' ? 'timeout' : 'error'
  return status === 'cancelled' ? 'abort' : 'complete'
}

function settled(
  { call, outcome, content }: Extract<LifecycleEvent, { kind: 'call.settled' }>,
  session: SessionSpec,
): HookOccasion | undefined {
  // A refused, cancelled or doubtful call did not use the tool, and a report is not a tool call.
  if ((outcome !== 'done' && outcome !== 'failed') || call.tool.kind === 'report') return undefined
  const { id } = call.call
  const event = outcome === 'done' ? 'PostToolUse' : 'PostToolUseFailure'
  return {
    event,
    subject: { kind: 'call', call, session },
    happenings: (hook) =>
      toHostCalls(call, hook, session.workspace).map((said) =>
        event === 'PostToolUse'
          ? { event, call: id, said, result: content }
          : { event, call: id, said, error: content },
      ),
  }
}

function withResult(happening: HookOccurrence, content: string): HookOccurrence {
  return happening.event === 'PostToolUse' ? { ...happening, result: content } : happening
}

function singleOccasion(happening: HookOccurrence, subject: MatchSubject): HookOccasion {
  return { event: happening.event, subject, happenings: () => [happening] }
}
