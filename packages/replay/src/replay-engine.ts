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
import type { Stage } from './stage.ts'

/** An engine that keeps sessions in memory, and gives them what came from people in the record: answers and messages. */
export function createReplayEngine(stage: Stage): Engine {
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
    alone: Promise.resolve(),
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

/** A session as an engine would give it back. */
export function storedOf(live: LiveSession | undefined): StoredSession | undefined {
  if (live === undefined) return undefined
  const { spec, entries } = live
  const last = entries.findLast((entry) => entry.role === 'event' && entry.type === 'session.ended')
  const report = last?.role === 'event' ? (last['report'] as unknown as Report) : undefined
  const status = report === undefined ? 'active' : report.status === 'error' ? 'error' : 'completed'
  return { spec, status, outcome: report?.status, updated: spec.created, entries: [...entries] }
}

/**
 * A person's answer in the record. If nobody was asked then, the call goes on as it did: a call that was carried out is approved, any
 * other is rejected.
 */
function answerTo({ lane }: LiveSession, { name, call, choices }: Question): Answer {
  const recorded = lane.answers.get(name)
  if (recorded !== undefined) {
    const isKnown = choices.includes(recorded.decision)
    return isKnown ? recorded : { ...recorded, decision: recorded.decision.replace(/-session$/, '') }
  }
  const result = lane.results.get(call)
  const wasDone = result !== undefined && result.outcome !== 'refused'
  return { decision: wasDone ? 'approve' : 'reject', by: 'replay', reason: 'the recorded run asked no one' }
}

/**
 * The result of a call as the record has it. Its content already has what hooks and instructions added then: the same addition is not
 * made twice.
 */
function asRecorded(stage: Stage, live: LiveSession, draft: Draft): Draft {
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
