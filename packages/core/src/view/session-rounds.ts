import type { OutcomeKind } from '../ports/entry.ts'
import { addUsage, noUsage, type Usage } from '../ports/report.ts'
import { isBefore } from './is-before.ts'
import type { CallView, RoundView } from './view.ts'

/** What is known of a round beside what is shown of it. */
interface TrackedRound {
  readonly view: RoundView
  /** When its reply arrived; absent while it is on its way. */
  at?: string
  usage?: Usage
  /** The last piece of text that was taken. */
  text: number
}

interface TrackedCall {
  readonly view: CallView
  /** Absent as long as the reply it stands in was not seen. */
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
}

/**
 * The rounds of one session, whatever the order in which they are told, and however often.
 *
 * 1. A round is known by its number, a call by its id: what is told twice is there once.
 * 2. What is over stays over: a start or a question that is told late does not open it again, only a new one does.
 * 3. Taking something in costs the same in the first round and in the ten-thousandth.
 */
export class SessionRounds {
  readonly #views: RoundView[]
  readonly #rounds = new Map<number, TrackedRound>()
  readonly #calls = new Map<string, TrackedCall>()
  readonly #open = new Set<TrackedCall>()
  /** Rounds whose reply is on its way: one, if any. */
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

  /** A question is asked: anew, if an earlier one of this number was not answered. */
  begin(roundId: number): void {
    const round = this.#asked(roundId)
    if (round === undefined) return
    round.view.reply = ''
    round.text = Number.NEGATIVE_INFINITY
  }

  addText(roundId: number, text: string, seq: number): void {
    const round = this.#asked(roundId)
    if (round === undefined || seq <= round.text) return
    round.view.reply += text
    round.text = seq
  }

  receive({ round: roundId, at, text, calls, usage }: ReceivedReply): void {
    const round = this.#round(roundId)
    // The complete text, not the sum of deltas: those may have been merged or dropped on the way.
    round.view.reply = text
    if (round.at === undefined && usage !== undefined) {
      round.usage = usage
      this.#usage = addUsage(this.#usage, usage)
    }
    round.at = at
    this.#unanswered.delete(round)
    for (const call of calls) this.#list(round.view, call)
  }

  /** Calls whose replies are not told, because they were received in an earlier life. */
  know(calls: ReceivedReply['calls']): void {
    for (const { id, name, input } of calls) {
      const { view } = this.#call(id, name)
      view.name ||= name
      view.input ||= input
    }
  }

  sendBack(roundId: number, why: string): void {
    const round = this.#rounds.get(roundId)
    if (round !== undefined) round.view.sentBack = why
  }

  start(id: string, tool: string, child: string | undefined): void {
    const call = this.#call(id, tool)
    const isNew = child !== undefined && call.view.child !== undefined && call.view.child !== child
    if (child !== undefined && child !== '') call.view.child = child
    call.started = true
    if (this.#hasEnded || (call.settled && !isNew)) return
    this.#reopen(call)
    call.view.status = 'running'
  }

  settle(id: string, outcome: OutcomeKind, content: string, code: string | undefined): void {
    const call = this.#call(id, '')
    if (call.settled && call.view.status !== outcome) delete call.view.code
    call.view.status = outcome
    if (content !== '' || call.view.content === undefined) call.view.content = content
    if (code !== undefined && code !== '') call.view.code = code
    if (!call.settled) this.#settled += 1
    call.settled = true
    this.#open.delete(call)
  }

  /** A person is asked about the call. False when that is past. */
  ask(id: string): boolean {
    const call = this.#call(id, '')
    if (call.settled || this.#hasEnded) return false
    call.view.status = 'waiting'
    return true
  }

  answered(id: string): void {
    const call = this.#calls.get(id)
    if (call?.view.status === 'waiting') call.view.status = call.started ? 'running' : 'pending'
  }

  /** The record was cut back to `rounds` at this time: later rounds that were told before are gone. */
  cut(rounds: number, at: string): void {
    const kept: RoundView[] = []
    let view = this.#views.at(-1)
    for (; view !== undefined && view.roundId > rounds; view = this.#views.at(-1)) {
      this.#views.pop()
      const told = this.#rounds.get(view.roundId)?.at
      if (told !== undefined && isBefore(at, told)) kept.push(view)
      else this.#remove(view)
    }
    for (const later of kept.reverse()) this.#views.push(later)
    // Money takes no subtraction: what is left is added up again.
    this.#usage = [...this.#rounds.values()].reduce((sum, { usage }) => addUsage(sum, usage), noUsage)
  }

  /** The session has ended: nothing of it runs, and a question without an answer is no round. */
  end(): void {
    this.#hasEnded = true
    for (const call of this.#open) call.view.status = 'cancelled'
    this.#dropUnanswered()
  }

  /** The session goes on: what was open when it ended is taken up again. */
  resume(): void {
    this.#hasEnded = false
    for (const call of this.#open)
      if (call.view.status === 'cancelled') call.view.status = call.started ? 'running' : 'pending'
    this.#dropUnanswered()
  }

  /** A round whose reply is on its way, as far as anything can be. */
  #asked(roundId: number): TrackedRound | undefined {
    const known = this.#rounds.get(roundId)
    if (known === undefined) return this.#hasEnded ? undefined : this.#round(roundId)
    return known.at === undefined ? known : undefined
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

  /** The call of this id, also when the reply it stands in was not seen yet. */
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

  /** Lists a call in its round. Other programs number their calls anew in each reply: the same id elsewhere is another call. */
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
