import type { Answer, AssistantEntry, EventEntry, Report, ResultEntry, UserEntry, Work } from '@cadre/core'
import type { FixtureEntry, FixtureSession } from './fixture.ts'

/** A message that came from outside the session loop: from a person, a teammate or a channel. */
export interface OutsideMessage {
  readonly work: Work
  /** The number of the session's replies before it. */
  readonly round: number
  /** The number of messages that the loop itself wrote between that reply and this message. */
  readonly after: number
  /** Set if the session had ended its turn, and this message woke it. */
  readonly wakes: boolean
  /** The number of turns that the session had completed before it. */
  readonly turn: number
  /** For a teammate's message: the call that sent it. */
  readonly sentBy?: { readonly session: number; readonly call: string }
}

/** A message that the loop itself wrote: a nudge, a follow-up, or text from a hook. */
export interface OwnMessage {
  readonly from: string
  readonly nudge?: string
  readonly content: string
}

/** One decision for a call. */
export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly by: string
  readonly rule: string
  readonly reason: string
  /** The arguments, if a rule or a hook changed them. */
  readonly input?: string
  /** Text from a hook to the model about the call. */
  readonly context?: string
}

export interface TurnEnd {
  readonly round: number
  readonly report: Report
  readonly cancelledBy?: string
}

export interface Compaction {
  readonly round: number
  readonly messages: number
  readonly summary: string
  /** True if a person requested it after the session had ended. */
  readonly byPerson: boolean
}

/** The recorded input from one session's entries, in the order in which its loop needs it. */
export interface Lane {
  readonly replies: readonly AssistantEntry[]
  /** By the number of replies before them. */
  readonly own: ReadonlyMap<number, readonly OwnMessage[]>
  readonly outside: readonly OutsideMessage[]
  readonly decisions: ReadonlyMap<string, readonly Decision[]>
  readonly results: ReadonlyMap<string, ResultEntry>
  readonly answers: ReadonlyMap<string, Answer>
  readonly compactions: readonly Compaction[]
  /** How the session ended each of its turns. A stop that was followed by a resume does not count. */
  readonly ends: readonly TurnEnd[]
  /** Children by the call that started them: the numbers of their sessions. For a team, by the member's name. */
  readonly children: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The number of replies before a person last edited the file, if someone did. */
  readonly editedAt?: number
  readonly isPromptEdited: boolean
}

/** True for entries that a session records only if its turn continues. A stop can come after the last reply, so there may be no other sign. */
function continuesTurn(entry: FixtureEntry): boolean {
  return entry.role === 'assistant' || entry.role === 'user' || isResume(entry)
}

function isResume(entry: FixtureEntry): boolean {
  return entry.role === 'event' && (entry as EventEntry).type === 'session.resumed'
}

/** Reads a session's entries. Used for both the recording and the replay. */
export function laneOf(session: Pick<FixtureSession, 'entries'>): Lane {
  const entries = session.entries.filter((entry) => !isPast(entry))
  const replies = entries.filter((entry): entry is AssistantEntry => entry.role === 'assistant')
  const own = new Map<number, OwnMessage[]>()
  const outside: OutsideMessage[] = []
  const decisions = new Map<string, Decision[]>()
  const results = new Map<string, ResultEntry>()
  const answers = new Map<string, Answer>()
  const compactions: Compaction[] = []
  const ends: TurnEnd[] = []
  const children = new Map<string, ReadonlyMap<string, number>>()
  let editedAt: number | undefined
  let isPromptEdited = false
  let round = 0
  let hasBegun = false
  /** Set from the end of a turn until something follows it. */
  let isReadyToCommit = false
  /** Set from a resume in the middle of a turn to the next reply. */
  let isResumed = false

  for (const [index, entry] of entries.entries()) {
    switch (entry.role) {
      case 'assistant':
        round += 1
        isReadyToCommit = false
        isResumed = false
        break
      case 'tool_result':
        addResult(entry as ResultEntry)
        break
      case 'user': {
        const user = entry as UserEntry
        // Written while the model was answering: the model saw it after its reply.
        const isUnseen = (replies[round]?.asked ?? Number.POSITIVE_INFINITY) < user.seq
        const at = isUnseen ? round + 1 : round
        const isWork = !hasBegun
        hasBegun = true
        if (isWork || !isFromOutside(user, isResumed)) {
          if (!isWork) own.set(at, [...(own.get(at) ?? []), ownOf(user)])
          break
        }
        outside.push({
          work: workOf(user),
          round: at,
          after: (own.get(at) ?? []).length,
          wakes: isReadyToCommit && !isUnseen,
          turn: ends.length,
          ...senderOf(user.message),
        })
        isReadyToCommit = false
        break
      }
      case 'event':
        readEvent(entry as EventEntry, index)
    }
  }
  return {
    replies,
    own,
    outside,
    decisions,
    results,
    answers,
    compactions,
    ends,
    children,
    ...(editedAt !== undefined && { editedAt }),
    isPromptEdited,
  }

  function readEvent(entry: EventEntry, index: number): void {
    const { call = '', content = '' } = entry
    switch (entry.type) {
      case 'call.started':
        if (entry['try'] === undefined) addDecision(call, 'allow', entry)
        if (!children.has(call)) addChildren(call, entry)
        return
      case 'call.held':
        addDecision(call, 'ask', entry)
        return
      case 'call.refused':
        addDecision(call, 'deny', entry)
        return
      case 'person.answered': {
        const name = String(entry['name'] ?? '')
        if (!answers.has(name)) answers.set(name, answerOf(entry))
        return
      }
      case 'context.compacted':
        compactions.push({
          round,
          messages: Number(/\((\d+) messages/.exec(content)?.[1] ?? 0),
          summary: content.slice(content.indexOf('\n\n') + 2),
          byPerson: isReadyToCommit,
        })
        return
      case 'session.resumed':
        isResumed = !isReadyToCommit
        return
      case 'journal.edited':
        editedAt = round
        if (content.includes('system prompt')) isPromptEdited = true
        return
      case 'session.ended': {
        const report = entry['report'] as unknown as Report
        const goesOn = entries.slice(index + 1).some(continuesTurn)
        const isStop = report.status === 'cancelled' || report.status === 'error'
        // A copy of the same end, after a person asked for a summary.
        if (compactions.at(-1)?.byPerson && isReadyToCommit) ends.pop()
        if (goesOn && isStop) return
        const by = entry['cancelled_by']
        ends.push({ round, report, ...(typeof by === 'string' && { cancelledBy: by }) })
        isReadyToCommit = true
      }
    }
  }

  /** The first result, because a call has only one. */
  function addResult(entry: ResultEntry): void {
    if (!results.has(entry.tool_call_id)) results.set(entry.tool_call_id, entry)
  }

  function addDecision(call: string, decision: Decision['decision'], entry: EventEntry): void {
    const { by, rule, input, context, content } = entry
    if (by === undefined) return
    const made: Decision = {
      decision,
      by: String(by),
      rule: typeof rule === 'string' ? rule : '',
      reason: content ?? '',
      ...(input !== undefined && { input: JSON.stringify(input) }),
      ...(typeof context === 'string' && { context }),
    }
    decisions.set(call, [...(decisions.get(call) ?? []), made])
  }

  function addChildren(call: string, { child, members }: EventEntry): void {
    const named = typeof members === 'object' && members !== null ? Object.entries(members) : []
    const all = child === undefined ? named : [['', child] as const]
    if (all.length > 0) children.set(call, new Map(all.map(([name, number]) => [name, Number(number)])))
  }
}

/** Replies to requests that a person has removed from the journal, and messages from an earlier session. */
function isPast(entry: FixtureEntry): boolean {
  if (entry.role === 'user') return (entry as UserEntry).earlier === true
  if (entry.role !== 'assistant') return false
  const { earlier, asked, seq } = entry as AssistantEntry
  return earlier === true || (asked !== undefined && asked >= seq)
}

/** `isResumed`: hooks react to a resume, which a replay does not have. */
function isFromOutside({ from, message, content }: UserEntry, isResumed: boolean): boolean {
  if (from === undefined || message !== undefined) return true
  if (from === 'hook') return isResumed
  return /^The user (?:interrupted your reply|stopped the delegated tasks)/.test(content)
}

function ownOf({ from = 'cadre', nudge, content }: UserEntry): OwnMessage {
  return { from, content, ...(nudge && { nudge }) }
}

function workOf({ content, images, from, message }: UserEntry): Work {
  return {
    content,
    ...(images && { images }),
    ...(from !== undefined && { from }),
    ...(message !== undefined && { message }),
  }
}

/** The id of a team message ends with the key of the call that sent it. */
function senderOf(message: string | undefined): Pick<OutsideMessage, 'sentBy'> {
  const [, session, call] = /^team\/.*\/⟦session (\d+)⟧\/(.+)$/.exec(message ?? '') ?? []
  return session === undefined || call === undefined ? {} : { sentBy: { session: Number(session), call } }
}

function answerOf({ decision, by, reason }: EventEntry): Answer {
  return {
    decision: String(decision),
    ...(typeof by === 'string' && { by }),
    ...(typeof reason === 'string' && { reason }),
  }
}
