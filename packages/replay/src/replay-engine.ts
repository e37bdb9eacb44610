import {
  type Answer,
  answerDraft,
  answerIn,
  type Draft,
  type Engine,
  type Entry,
  isAsked,
  type Question,
  questionDraft,
  type Report,
  type ResultDraft,
  type Run,
  type SessionSpec,
  type StoredSession,
} from '@cadre/core'
import type { LiveSession } from './live-session.ts'
import type { ReplayScheduler } from './replay-scheduler.ts'

/** An engine that keeps sessions in memory, and gives them the recorded answers and messages from people. */
export function createReplayEngine(stage: ReplayScheduler): Engine {
  const never = new AbortController().signal
  let runner: (spec: SessionSpec) => Promise<Report> = () =>
    Promise.reject(new Error('no runner is attached'))
  const keep = (live: LiveSession, drafts: readonly Draft[], isMessage = false): readonly Entry[] => {
    const { entries } = live
    return drafts.map((draft) => {
      stage.recorded(live, draft, isMessage)
      const entry = { ...draft, seq: entries.length + 1, timestamp: live.spec.created } as Entry
      entries.push(entry)
      return entry
    })
  }
  const createRun = (live: LiveSession): Run => ({
    recorded: [...live.entries],
    lost: never,
    alone: Promise.resolve('here'),
    async step(name, work) {
      const drafts = (await work()).map((draft) => asRecorded(stage, live, draft))
      const kept = keep(live, drafts, name.startsWith('news/'))
      await stage.untilPossible(live, drafts)
      return kept
    },
    spawn: (spec) => runner(spec),
    async waitFor(question) {
      const known = answerIn(live.entries, question.name)
      if (known !== undefined) return known
      const answer = answerTo(live, question)
      if (!isAsked(live.entries, question.name)) keep(live, [questionDraft(question)])
      keep(live, [answerDraft(question.name, answer)])
      return answer
    },
    changes() {
      stage.sendDue(live)
      return undefined
    },
    async end() {
      stage.changed()
    },
  })
  return {
    attach(run) {
      runner = run
    },
    open: async (spec) => createRun(stage.enter(spec)),
    read: async (id) => storedOf(stage.live(id)),
    charged: async () => [],
  }
}

/** A session as an engine would return it. */
export function storedOf(live: LiveSession | undefined): StoredSession | undefined {
  if (live === undefined) return undefined
  const { spec, entries } = live
  const last = entries.findLast((entry) => entry.role === 'event' && entry.type === 'session.ended')
  const report = last?.role === 'event' ? (last['report'] as unknown as Report) : undefined
  const status = report === undefined ? 'active' : report.status === 'error' ? 'error' : 'completed'
  return { spec, status, outcome: report?.status, updated: spec.created, entries: [...entries] }
}

/**
 * A person's recorded answer. If the recorded run did not ask anyone, a call that was carried out is approved, and any other call is
 * rejected.
 */
function answerTo({ lane }: LiveSession, { name, call, choices }: Question): Answer {
  const recorded = lane.answers.get(name)
  if (recorded !== undefined) {
    const isKnown = choices.includes(recorded.decision)
    return isKnown ? recorded : { ...recorded, decision: recorded.decision.replace(/-session$/, '') }
  }
  const result = lane.results.get(call)
  const wasDone = result !== undefined && result.outcome !== 'refused'
  return {
    decision: wasDone ? 'approve' : 'reject',
    by: 'replay',
    reason: 'the recorded run did not ask a person',
  }
}

/**
 * A call's recorded result. Its content already includes the text that hooks and instructions added, so the same text is not added
 * twice.
 */
function asRecorded(stage: ReplayScheduler, live: LiveSession, draft: Draft): Draft {
  if (draft.role !== 'tool_result') return draft
  const recorded = live.lane.results.get(draft.tool_call_id)
  if (recorded === undefined || recorded.outcome === 'refused' || draft.outcome === 'refused') return draft
  const content = stage.text(live, recorded.content)
  if (!draft.content.startsWith(content)) return draft
  const added = draft.content.slice(content.length).replace(/^\n\n/, '')
  const wasAdded = added === '' || content === added || content.endsWith(`\n\n${added}`)
  const { outcome: _outcome, code: _code, ...rest } = draft
  const { outcome, code } = recorded
  const settled: ResultDraft = {
    ...rest,
    ...(outcome && { outcome }),
    ...(code !== undefined && { code }),
  }
  return wasAdded ? { ...settled, content } : settled
}
