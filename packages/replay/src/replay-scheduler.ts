/**
 * Owns the sessions in one replay: the list of sessions, the progress of each, and the recorded input that each receives next. The
 * replay's engine, model, tools, teams and workspaces all call it.
 *
 * 1. A session receives only recorded input from its own lane, which is chosen by its position in the tree and its round. So the order in
 *    which sessions run does not matter.
 * 2. A teammate's message is delivered at the point where it was received in the recording, and never before it is sent.
 * 3. A recorded stop happens when every session that it ended has received all of its input from before the stop. No session continues past
 *    that point, even if its last reply would end it.
 * 4. A session ends only after its background sessions have progressed as far as in the recording, because its end stops those that are
 *    still running.
 * 5. Every wait has a time limit: after the replay diverges, the event that a session waits for may never happen.
 */
import type { Draft, EventDraft, Orchestrator, SessionSpec, Work } from '@cadre/core'
import type { Fixture, FixtureSession } from './fixture.ts'
import { type Lane, laneOf, type OutsideMessage } from './lane.ts'
import {
  countEntry,
  createLiveSession,
  hasUsedRecording,
  isAtEnd,
  isAtStop,
  type LiveSession,
  nextDueMessage,
} from './live-session.ts'
import { type Expansion, fillPlaceholders } from './placeholders.ts'

export interface ReplaySchedulerOptions {
  readonly fixture: Fixture
  readonly places: Pick<Expansion, 'home' | 'userHome'>
}

const emptyLane = laneOf({ entries: [] })

/** How long a session waits for another one while nothing happens, in ticks of `tickMs`. */
const maxIdleTicks = 50
const tickMs = 100

export class ReplayScheduler {
  readonly #fixture: Fixture
  readonly #places: ReplaySchedulerOptions['places']
  readonly #lanes: readonly Lane[]
  readonly #live = new Map<string, LiveSession>()
  /** Session ids by their number in the fixture. Known before a session starts, as soon as the call that starts it is decided. */
  readonly #ids = new Map<number, string>()
  readonly #numbers = new Map<string, number>()
  readonly #watchers = new Set<() => void>()
  readonly #stopped = new Set<number>()
  #orchestrator: Orchestrator | undefined

  constructor({ fixture, places }: ReplaySchedulerOptions) {
    this.#fixture = fixture
    this.#places = places
    this.#lanes = fixture.sessions.map(laneOf)
  }

  /** Must be called before the first session. */
  direct(orchestrator: Orchestrator, root: string): void {
    this.#orchestrator = orchestrator
    this.#name(root, 1)
  }

  get sessions(): Iterable<LiveSession> {
    return this.#live.values()
  }

  get numbers(): ReadonlyMap<string, number> {
    return this.#numbers
  }

  live(session: string): LiveSession | undefined {
    return this.#live.get(session)
  }

  numberOf(session: string): number | undefined {
    return this.#numbers.get(session)
  }

  lane(number: number): Lane | undefined {
    return this.#lanes[number - 1]
  }

  isolationOf(number: number): FixtureSession['isolation'] {
    return this.#fixture.sessions[number - 1]?.isolation
  }

  /** Returns the session that is starting or continuing. */
  enter(spec: SessionSpec): LiveSession {
    const known = this.#live.get(spec.id)
    if (known !== undefined) return known
    // The plain model answers in a session without a parent.
    const plain =
      this.#fixture.sessions.findIndex(({ parent }, index) => index > 0 && parent === undefined) + 1
    if (spec.parent === undefined && !this.#numbers.has(spec.id) && plain > 0) this.#name(spec.id, plain)
    const number = this.#numbers.get(spec.id)
    const live = createLiveSession(spec, number, (number && this.lane(number)) || emptyLane)
    this.#live.set(spec.id, live)
    return live
  }

  /** Counts an entry that a session records. */
  recorded(live: LiveSession, draft: Draft, isMessage: boolean): void {
    if (isMessage && draft.role === 'user') {
      const next = live.lane.outside[live.sent]
      if (
        next?.wakes &&
        draft.message !== undefined &&
        this.text(live, next.work.message ?? '') === draft.message
      )
        live.sent += 1
    }
    countEntry(live, draft, isMessage)
    if (draft.role === 'event' && draft.type === 'call.started') this.#nameChildren(live, draft)
  }

  /** Recorded text with this replay's paths and ids. */
  text(live: Pick<LiveSession, 'spec'>, text: string, asJson = false): string {
    return fillPlaceholders(text, this.#expansion(live.spec.workspace), asJson)
  }

  work(live: Pick<LiveSession, 'spec'>, work: Work): Work {
    return {
      ...work,
      content: this.text(live, work.content),
      ...(work.message !== undefined && { message: this.text(live, work.message) }),
    }
  }

  workspaceText(workspace: string, text: string): string {
    return fillPlaceholders(text, this.#expansion(workspace))
  }

  /** Sends a running session the messages that it received at this point in the recording. */
  sendDue(live: LiveSession): void {
    for (let due = nextDueMessage(live); due !== undefined && !due.wakes; due = nextDueMessage(live)) {
      live.sent += 1
      void this.#orchestrator?.tell(live.spec.id, this.work(live, due.work))
    }
  }

  /** The message that wakes an idle session, once it has been sent. */
  wakingMessage(live: LiveSession): OutsideMessage | undefined {
    const due = nextDueMessage(live)
    return due?.wakes && this.#wasSent(due) ? due : undefined
  }

  /** Resolves when this session's next recorded event can happen. */
  async untilPossible(live: LiveSession, recorded: readonly Draft[]): Promise<void> {
    this.changed()
    const due = nextDueMessage(live)
    if (due !== undefined && !due.wakes && !this.#wasSent(due)) await this.#until(() => this.#wasSent(due))
    if (recorded.some(isDeletingTeam)) await this.#until(() => this.#mates(live).every(hasUsedRecording))
    if (isAtEnd(live)) await this.#until(() => this.#areChildrenReady(live))
    if (live.signal !== undefined && isAtStop(live)) await this.awaitStop(live, live.signal)
  }

  /** Called when the recording has no more input for a session that a stop ended. Triggers the stop, and resolves when it has happened. */
  async awaitStop(live: LiveSession, signal: AbortSignal): Promise<void> {
    const look = () => this.changed()
    signal.addEventListener('abort', look, { once: true })
    const origin = live.number === undefined ? undefined : this.#originOfStop(live.number)
    if (origin !== undefined && !this.#stopped.has(origin)) {
      await this.#until(() => signal.aborted || this.#isGroupSpent(origin))
      if (!signal.aborted) this.#stop(origin)
    }
    await this.#until(() => signal.aborted)
    signal.removeEventListener('abort', look)
  }

  /** Call this when something has happened that another session may be waiting for. */
  changed(): void {
    for (const look of [...this.#watchers]) look()
  }

  watch(look: () => void): () => void {
    this.#watchers.add(look)
    return () => this.#watchers.delete(look)
  }

  #expansion(workspace: string): Expansion {
    return { ...this.#places, workspace, session: (number) => this.#ids.get(number) }
  }

  #name(id: string, number: number): void {
    if (this.#ids.has(number)) return
    this.#ids.set(number, id)
    this.#numbers.set(id, number)
  }

  #nameChildren({ lane }: LiveSession, { call = '', child, members }: EventDraft): void {
    const known = lane.children.get(call)
    if (known === undefined) return
    const named = typeof members === 'object' && members !== null ? Object.entries(members) : []
    for (const [name, id] of child === undefined ? named : [['', child] as const]) {
      const number = known.get(name)
      if (number !== undefined && number > 0) this.#name(String(id), number)
    }
  }

  #wasSent({ sentBy }: OutsideMessage): boolean {
    if (sentBy === undefined) return true
    const sender = this.#liveNumber(sentBy.session)
    return (
      sender?.entries.some((entry) => entry.role === 'tool_result' && entry.tool_call_id === sentBy.call) ===
      true
    )
  }

  #liveNumber(number: number): LiveSession | undefined {
    const id = this.#ids.get(number)
    return id === undefined ? undefined : this.#live.get(id)
  }

  #mates(lead: LiveSession): readonly LiveSession[] {
    return [...this.#live.values()].filter(({ spec }) => spec.team && spec.parent?.session === lead.spec.id)
  }

  /** Whether each of this session's background sessions has progressed as far as in the recording. */
  #areChildrenReady({ number }: LiveSession): boolean {
    return this.#fixture.sessions.every(({ parent }, index) => {
      if (parent === undefined || parent.session !== number || parent.member !== undefined) return true
      if (!this.#ids.has(index + 1)) return true
      const child = this.#liveNumber(index + 1)
      if (child === undefined) return false
      const isCancelled = child.lane.ends.at(-1)?.report.status === 'cancelled'
      return isCancelled ? hasUsedRecording(child) && this.#areChildrenReady(child) : child.turns > 0
    })
  }

  /** The session whose stop ended this one, according to the recording. */
  #originOfStop(number: number): number | undefined {
    const end = this.lane(number)?.ends.at(-1)
    if (end?.report.status !== 'cancelled') return undefined
    if (end.cancelledBy === 'person') return number
    if (end.cancelledBy !== 'parent') return 1
    const parent = this.#fixture.sessions[number - 1]?.parent?.session
    return parent === undefined ? undefined : this.#originOfStop(parent)
  }

  /** Whether this session and every session below it has reached the point of the recorded stop, or had ended before. */
  #isGroupSpent(origin: number): boolean {
    return this.#lanes.every((lane, index) => {
      if (!this.#isFrom(index + 1, origin)) return true
      const live = this.#liveNumber(index + 1)
      if (live === undefined) return false
      return this.#originOfStop(index + 1) === origin
        ? hasUsedRecording(live)
        : live.turns >= lane.ends.length
    })
  }

  #isFrom(number: number, above: number): boolean {
    if (number === above) return true
    const parent = this.#fixture.sessions[number - 1]?.parent?.session
    return parent !== undefined && this.#isFrom(parent, above)
  }

  #stop(origin: number): void {
    if (this.#stopped.has(origin)) return
    this.#stopped.add(origin)
    const stays = this.lane(origin)?.ends.at(-1)?.cancelledBy === 'person'
    this.#orchestrator?.cancel(this.#ids.get(origin) ?? '', { stays })
    this.changed()
  }

  async #until(holds: () => boolean): Promise<void> {
    if (holds()) return
    await new Promise<void>((resolve) => {
      let ticks = 0
      const done = () => {
        clearInterval(patience)
        unwatch()
        resolve()
      }
      // Short ticks, because on a busy machine, a pause of the whole process counts as one tick.
      const patience = setInterval(() => {
        ticks += 1
        if (ticks === maxIdleTicks) done()
      }, tickMs)
      const unwatch = this.watch(() => {
        ticks = 0
        if (holds()) done()
      })
    })
  }
}

function isDeletingTeam(draft: Draft): boolean {
  return (
    draft.role === 'event' &&
    draft.type === 'call.started' &&
    draft['team'] !== undefined &&
    draft['members'] === undefined
  )
}
