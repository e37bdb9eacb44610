import {
  type AgentRound,
  type CadreEvent,
  type CallView,
  type Entry,
  eventsOf,
  type OutcomeKind,
  type StoredSession,
} from '@cadre/core'
import fc from 'fast-check'

/** A possible session, before it is written. */
export interface RandomSession {
  readonly rounds: readonly RandomRound[]
  /** `broken`: its process ended, and it was not continued. */
  readonly end: 'completed' | 'cancelled' | 'broken'
}

interface RandomRound {
  readonly text: string
  readonly calls: readonly RandomCall[]
  /** The run was stopped while its calls were open, and resumed. */
  readonly stopped: boolean
}

interface RandomCall {
  readonly outcome: OutcomeKind
  readonly code: string | undefined
  readonly asked: boolean
  readonly child: RandomSession | undefined
}

const round = (child: fc.Arbitrary<RandomSession>) =>
  fc.record({
    text: fc.string({ maxLength: 8 }),
    stopped: fc.boolean(),
    calls: fc.array(
      fc.record({
        outcome: fc.constantFrom<OutcomeKind>('done', 'failed', 'refused', 'cancelled', 'in_doubt'),
        code: fc.option(fc.constantFrom('timeout', 'policy'), { nil: undefined }),
        asked: fc.boolean(),
        child: fc.option(child, { nil: undefined, freq: 2 }),
      }),
      { maxLength: 3 },
    ),
  })

/** Nested sessions of any depth; all number their rounds from 1 and their calls from c1. */
export const randomSession: fc.Memo<RandomSession> = fc.memo((depth) =>
  fc.record({
    rounds: fc.array(
      depth <= 1
        ? round(fc.constant<RandomSession>({ rounds: [], end: 'completed' }))
        : round(randomSession()),
      { maxLength: 3 },
    ),
    end: fc.constantFrom('completed', 'cancelled', 'broken'),
  }),
)

export interface WrittenTree {
  readonly journals: readonly StoredSession[]
  /** The expected rounds of the first session. */
  readonly rounds: readonly AgentRound[]
}

/** Writes the journals of a tree, and computes from the tree what a surface must show. */
export function writeTree(tree: RandomSession): WrittenTree {
  const journals: StoredSession[] = []
  let count = 0
  const rounds = write(tree, undefined, false)
  return { journals, rounds }

  function write(
    { rounds, end }: RandomSession,
    parent: { session: string; call: string } | undefined,
    isOver: boolean,
  ): AgentRound[] {
    const id = `s${count++}`
    const entries: Entry[] = []
    const add = (entry: object) => {
      const seq = entries.length + 1
      entries.push({ ...entry, seq, timestamp: new Date(seq * 1000).toISOString() } as Entry)
    }
    const spec = {
      id,
      root: 's0',
      agent: { name: `agent of ${id}` },
      model: 'm',
      ...(parent && { parent }),
      depth: 0,
      work: { content: 'w' },
      created: new Date(0).toISOString(),
    }
    journals.push({ spec, status: 'active', outcome: undefined, updated: '', entries } as never)
    add({ role: 'user', content: 'w' })
    const hasEnded = isOver || end !== 'broken'
    let calls = 0
    const shown = rounds.map(({ text, calls: made, stopped }, at): AgentRound => {
      const isLast = at === rounds.length - 1
      const numbered = made.map((call) => ({
        ...call,
        id: `c${++calls}`,
        childId: undefined as string | undefined,
      }))
      add({
        role: 'assistant',
        content: text,
        usage: { input: 1, output: 1 },
        tool_calls: numbered.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: 'tool', arguments: `{"of":"${id}"}` },
        })),
      })
      const below: AgentRound[] = []
      const open: CallView[] = []
      for (const call of numbered) {
        const question = { call: call.id, name: `q/${call.id}` }
        if (call.asked) add({ role: 'event', type: 'person.asked', ...question, text: '?', choices: [] })
        if (call.asked) add({ role: 'event', type: 'person.answered', ...question, decision: 'approve' })
        if (call.child !== undefined) call.childId = `s${count}`
        if (call.outcome !== 'refused')
          add({
            role: 'event',
            type: 'call.started',
            call: call.id,
            ...(call.childId && { child: call.childId }),
          })
        if (call.child !== undefined)
          below.push(...write(call.child, { session: id, call: call.id }, hasEnded))
      }
      if (stopped) {
        add({ role: 'event', type: 'session.ended', report: { status: 'cancelled' } })
        add({ role: 'event', type: 'session.resumed' })
      }
      for (const call of numbered) {
        // The calls of the last round stay open if the session did not end.
        const isOpen = isLast && end !== 'completed'
        if (!isOpen)
          add({
            role: 'tool_result',
            tool_call_id: call.id,
            content: `result of ${id} ${call.id}`,
            ...(call.outcome !== 'done' && { outcome: call.outcome }),
            ...(call.code && { code: call.code }),
          })
        open.push({
          id: call.id,
          name: 'tool',
          input: `{"of":"${id}"}`,
          status: isOpen
            ? hasEnded
              ? 'cancelled'
              : call.outcome === 'refused'
                ? 'pending'
                : 'running'
            : call.outcome,
          ...(call.childId && call.outcome !== 'refused' && { child: call.childId }),
          ...(!isOpen && { content: `result of ${id} ${call.id}` }),
          ...(!isOpen && call.code && { code: call.code }),
        })
      }
      return {
        roundId: at + 1,
        session: id,
        agent: `agent of ${id}`,
        reply: text,
        toolCalls: open,
        subAgentRounds: below,
      }
    })
    if (end !== 'broken') add({ role: 'event', type: 'session.ended', report: { status: end } })
    return shown
  }
}

/** The events of a session for a live surface, including those that no journal stores. */
export function liveEvents(stored: StoredSession): CadreEvent[] {
  return eventsOf(stored).flatMap((event) => {
    if (event.type !== 'reply.received') return [event]
    const { at, session, round, text } = event
    const delta = (piece: string, seq: number) =>
      ({ type: 'text.added', round, text: piece, at, session, seq }) as CadreEvent
    return [delta(text.slice(0, 3), event.seq), delta(text.slice(3), event.seq + 0.5), event]
  })
}

/** Merges lists, keeping the order of each; `picks` decides which comes next. */
export function interleave<T>(lists: readonly (readonly T[])[], picks: readonly number[]): T[] {
  const left = lists.map((list) => [...list])
  const all: T[] = []
  for (let at = 0; left.some((list) => list.length > 0); at++) {
    const open = left.filter((list) => list.length > 0)
    all.push((open[(picks[at % picks.length] ?? 0) % open.length] as T[]).shift() as T)
  }
  return all
}
