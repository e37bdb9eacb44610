import type { OutcomeKind } from '../ports/entry.ts'
import { addUsage, noUsage, type SpentBudget, type Usage } from '../ports/report.ts'
import { isBefore } from './is-before.ts'
import type { CallVerdict, CallView, PersonDecision, RoundView } from './view.ts'

/** State of a round that is not part of its view. */
interface TrackedRound {
  readonly view: RoundView
  /** The number of the last applied text event. */
  text: number
}

interface TrackedCall {
  readonly view: CallView
  /** Absent until the reply with the call was seen. */
  round?: number
  started: boolean
  settled: boolean
}

export interface ReceivedReply {
  readonly round: number
  readonly at: string
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly usage?: Usage
  readonly spent?: SpentBudget
}

interface StartedCall {
  readonly tool: string
  readonly child?: string
  readonly at: string
}

interface SettledCall {
  readonly outcome: OutcomeKind
  readonly content: string
  readonly code?: string
  readonly at: string
}

/**
 * The rounds of one session. Events may arrive in any order and repeatedly.
 *
 * 1. A round is identified by its number and a call by its id, so repeated events add nothing.
 * 2. An ended round stays ended: a late start or question event does not reopen it, only a new one does.
 * 3. Applying an event costs the same in the first round and in the ten-thousandth.
 */
export class SessionRounds {
  readonly #views: RoundView[]
  readonly #rounds = new Map<number, TrackedRound>()
  readonly #calls = new Map<string, TrackedCall>()
  readonly #open = new Set<TrackedCall>()
  /** Rounds whose reply is in flight: at most one. */
  readonly #unanswered = new Set<TrackedRound>()
  #settled = 0
  #usage: Usage = noUsage
  #hasEnded = false

  /** Keeps `views` in order and up to date. */
  constructor(views: RoundView[]) {
    this.#views = views
  }

  get settled(): number {
    return this.#settled
  }

  get usage(): Usage {
    return this.#usage
  }

  call(id: string): CallView | undefined {
    return this.#calls.get(id)?.view
  }

  /** Starts a round, or restarts it if an earlier request with this number got no reply. */
  begin(roundId: number, at: string): void {
    const round = this.#asked(roundId)
    if (round === undefined) return
    round.view.startedAt = at
    round.view.reply = ''
    round.text = Number.NEGATIVE_INFINITY
  }

  addText(roundId: number, text: string, seq: number): void {
    const round = this.#asked(roundId)
    if (round === undefined || seq <= round.text) return
    round.view.reply += text
    round.text = seq
  }

  receive({ round: roundId, at, text, calls, usage, spent }: ReceivedReply): void {
    const round = this.#round(roundId)
    // The complete text, not the sum of deltas, because deltas may have been merged or dropped.
    round.view.reply = text
    if (round.view.repliedAt === undefined && usage !== undefined) {
      round.view.usage = usage
      this.#usage = addUsage(this.#usage, usage)
    }
    if (spent !== undefined) round.view.spent = spent
    round.view.startedAt ??= at
    round.view.repliedAt = at
    this.#unanswered.delete(round)
    for (const call of calls) this.#list(round.view, call)
  }

  /** Adds calls of an earlier life, whose replies have no events here. */
  know(calls: readonly (ReceivedReply['calls'][number] & { readonly round?: number })[]): void {
    for (const { id, name, input, round: roundId } of calls) {
      const { view } = this.#call(id, name)
      view.name ||= name
      view.input ||= input
      if (roundId === undefined || this.#calls.get(id)?.round !== undefined) continue
      const round = this.#round(roundId)
      // Its reply has arrived. If that is read from the journal later, it counts then.
      this.#unanswered.delete(round)
      this.#list(round.view, { id, name, input })
    }
  }

  sendBack(roundId: number, why: string): void {
    const round = this.#rounds.get(roundId)
    if (round !== undefined) round.view.sentBack = why
  }

  judge(id: string, tool: string, verdict: CallVerdict): void {
    const { view } = this.#call(id, tool)
    view.verdict = verdict
    if (verdict.decision === 'ask') view.held = verdict
  }

  start(id: string, { tool, child, at }: StartedCall): void {
    const call = this.#call(id, tool)
    // A call that runs again after a crash keeps the time of its first start.
    if (call.view.startedAt === undefined || isBefore(at, call.view.startedAt)) call.view.startedAt = at
    const isNew = child !== undefined && call.view.child !== undefined && call.view.child !== child
    if (child !== undefined && child !== '') call.view.child = child
    call.started = true
    if (this.#hasEnded || (call.settled && !isNew)) return
    this.#reopen(call)
    call.view.status = 'running'
  }

  progress(id: string, text: string): void {
    const view = this.#calls.get(id)?.view
    if (view?.status === 'running') view.progress = text
  }

  settle(id: string, { outcome, content, code, at }: SettledCall): void {
    const call = this.#call(id, '')
    if (!call.settled || call.view.settledAt === undefined) call.view.settledAt = at
    if (call.settled && call.view.status !== outcome) delete call.view.code
    call.view.status = outcome
    if (call.view.progress !== undefined) delete call.view.progress
    if (content !== '' || call.view.content === undefined) call.view.content = content
    if (code !== undefined && code !== '') call.view.code = code
    if (!call.settled) this.#settled += 1
    call.settled = true
    this.#open.delete(call)
  }

  /** Marks a call as waiting for a person. Returns false if it is already settled. */
  ask(id: string): boolean {
    const call = this.#call(id, '')
    if (call.settled || this.#hasEnded) return false
    call.view.status = 'waiting'
    return true
  }

  answered(id: string, person: PersonDecision): void {
    const call = this.#calls.get(id)
    if (call !== undefined) call.view.person = person
    if (call?.view.status === 'waiting') call.view.status = call.started ? 'running' : 'pending'
  }

  /** Removes rounds after `rounds` that are older than `at`, because the record was rewound. */
  cut(rounds: number, at: string): void {
    const kept: RoundView[] = []
    let view = this.#views.at(-1)
    for (; view !== undefined && view.roundId > rounds; view = this.#views.at(-1)) {
      this.#views.pop()
      const told = this.#rounds.get(view.roundId)?.view.repliedAt
      if (told !== undefined && isBefore(at, told)) kept.push(view)
      else this.#remove(view)
    }
    for (const later of kept.reverse()) this.#views.push(later)
    // Subtracting fractions of money is inexact, so sum the remaining rounds.
    this.#usage = [...this.#rounds.values()].reduce((sum, { view }) => addUsage(sum, view.usage), noUsage)
  }

  /** Ends the session: closes its open calls and removes a round without a reply. */
  end(): void {
    this.#hasEnded = true
    for (const call of this.#open) call.view.status = 'cancelled'
    this.#dropUnanswered()
  }

  /** Resumes the session: reopens the calls that were open at its end. */
  resume(): void {
    this.#hasEnded = false
    for (const call of this.#open)
      if (call.view.status === 'cancelled') call.view.status = call.started ? 'running' : 'pending'
    this.#dropUnanswered()
  }

  /** Returns the round with this number if its reply is in flight. */
  #asked(roundId: number): TrackedRound | undefined {
    const known = this.#rounds.get(roundId)
    if (known === undefined) return this.#hasEnded ? undefined : this.#round(roundId)
    return known.view.repliedAt === undefined ? known : undefined
  }

  #round(roundId: number): TrackedRound {
    const known = this.#rounds.get(roundId)
    if (known !== undefined) return known
    const round: TrackedRound = {
      view: { roundId, reply: '', toolCalls: [] },
      text: Number.NEGATIVE_INFINITY,
    }
    this.#rounds.set(roundId, round)
    this.#unanswered.add(round)
    let at = this.#views.length
    while (at > 0 && (this.#views[at - 1] as RoundView).roundId > roundId) at -= 1
    this.#views.splice(at, 0, round.view)
    return round
  }

  /** Returns the call with this id, even if its reply was not seen yet. */
  #call(id: string, name: string): TrackedCall {
    const known = this.#calls.get(id)
    if (known !== undefined) return known
    const call: TrackedCall = {
      view: { id, name, input: '', status: 'pending' },
      started: false,
      settled: false,
    }
    this.#calls.set(id, call)
    this.#open.add(call)
    return call
  }

  /** Lists a call in its round. Other programs restart call ids in each reply, so the same id in another round is another call. */
  #list(round: RoundView, { id, name, input }: ReceivedReply['calls'][number]): void {
    const known = this.#calls.get(id)
    const isElsewhere = known?.round !== undefined && known.round !== round.roundId
    const before = isElsewhere ? round.toolCalls.find((call) => call.id === id) : undefined
    if (before !== undefined) return
    if (isElsewhere) this.#calls.delete(id)
    const call = this.#call(id, name)
    if (name !== '') call.view.name = name
    if (input !== '') call.view.input = input
    if (call.round === undefined) round.toolCalls.push(call.view)
    call.round = round.roundId
  }

  #reopen(call: TrackedCall): void {
    if (call.settled) this.#settled -= 1
    call.settled = false
    if (call.view.settledAt !== undefined) delete call.view.settledAt
    this.#open.add(call)
  }

  #dropUnanswered(): void {
    if (this.#unanswered.size === 0) return
    for (const { view } of this.#unanswered) {
      this.#remove(view)
      this.#views.splice(this.#views.lastIndexOf(view), 1)
    }
    this.#unanswered.clear()
  }

  #remove({ roundId, toolCalls }: RoundView): void {
    const round = this.#rounds.get(roundId)
    if (round !== undefined) this.#unanswered.delete(round)
    this.#rounds.delete(roundId)
    for (const { id } of toolCalls) {
      const call = this.#calls.get(id)
      if (call?.round !== roundId) continue
      if (call.settled) this.#settled -= 1
      this.#open.delete(call)
      this.#calls.delete(id)
    }
  }
}
