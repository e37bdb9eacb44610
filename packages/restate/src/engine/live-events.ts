/**
 * Owns the events of running trees that nobody records: the text of replies that are in flight, and the progress of calls. Workers answer
 * the clients that watch a tree with them.
 *
 * 1. Only the current round of each session is kept, and only a limited amount of text. Everything else is in the record.
 * 2. A cursor belongs to one life of a tree. A client with another cursor, or without one, receives everything that is kept. It starts with
 *    `round.started`, so that the client discards what an earlier life sent.
 * 3. Adding an event never waits.
 * 4. A tree is known from `begin` to `forget`. Events of other trees are ignored: a life that was lost may still emit some.
 * 5. The text of a reply is dropped some time after the reply was received, when the record shows it.
 */
import { randomBytes } from 'node:crypto'
import type { CadreEvent } from '@cadre/core'

export type LiveAnswer =
  /** The tree does not run on the worker that was asked. */
  | { readonly kind: 'away' }
  | { readonly kind: 'here'; readonly cursor: string; readonly events: readonly CadreEvent[] }

interface Kept {
  number: number
  event: CadreEvent
}

type TextAdded = Extract<CadreEvent, { type: 'text.added' }>

interface LiveTree {
  readonly life: string
  readonly sessions: Set<string>
  kept: Kept[]
  last: number
  /** The number in the newest cursor. Clients have nothing after it. */
  given: number
  /** Characters of text in the current round, by session. More than the limit: the rest of the round is not kept. */
  readonly sizes: Map<string, number>
  /** Where the text of the current round is added, by session. */
  readonly texts: Map<string, Kept & { event: TextAdded }>
  /** Timers that drop what is no longer needed, by session. */
  readonly drops: Map<string, NodeJS.Timeout>
  readonly waiting: Set<() => void>
}

/** Characters per session. A longer reply appears when it is recorded. */
const maxText = 200_000
const maxProgress = 2_000
/** Clients may still be reading the text, and others see the record only when it is archived. */
const dropAfterMs = 15_000

export class LiveEvents {
  readonly #trees = new Map<string, LiveTree>()
  readonly #roots = new Map<string, string>()

  /** The tree runs here. */
  begin(root: string): void {
    this.forget(root)
    this.#trees.set(root, {
      life: randomBytes(6).toString('hex'),
      sessions: new Set(),
      kept: [],
      last: 0,
      given: 0,
      sizes: new Map(),
      texts: new Map(),
      drops: new Map(),
      waiting: new Set(),
    })
  }

  take(event: CadreEvent): void {
    const { session } = event
    if (event.type === 'session.started') this.#add(session, event.root)
    const tree = this.#trees.get(this.#roots.get(session) ?? '')
    if (tree === undefined) return
    switch (event.type) {
      case 'round.started':
        tree.kept = tree.kept.filter((one) => one.event.session !== session)
        tree.sizes.set(session, 0)
        tree.texts.delete(session)
        stopDropping(tree, session)
        break
      case 'text.added':
        addText(tree, event)
        return
      case 'reply.received':
        dropLater(tree, session, ({ type }) => type === 'text.added')
        return
      case 'session.ended':
        dropLater(tree, session, () => true)
        return
      case 'call.progressed':
        tree.kept = tree.kept.filter(
          ({ event: one }) => one.type !== 'call.progressed' || one.call !== event.call,
        )
        if (event.text.length > maxProgress) return
        break
      default:
        return
    }
    keep(tree, event)
  }

  /** Returns what is new after the cursor, or waits for it up to `wait` milliseconds. */
  async read(root: string, after: string | undefined, wait: number): Promise<LiveAnswer> {
    const tree = this.#trees.get(root)
    if (tree === undefined) return { kind: 'away' }
    const [life, number] = after?.split('.') ?? []
    const from = life === tree.life ? Number(number) : 0
    if (tree.last <= from) await changeOf(tree, wait)
    const events = tree.kept.flatMap((one) => (one.number > from ? [one.event] : []))
    tree.given = tree.last
    return { kind: 'here', cursor: `${tree.life}.${tree.last}`, events: merged(events) }
  }

  /** The tree no longer runs here. */
  forget(root: string): void {
    const tree = this.#trees.get(root)
    if (tree === undefined) return
    this.#trees.delete(root)
    for (const session of tree.sessions) {
      this.#roots.delete(session)
      stopDropping(tree, session)
    }
    for (const wake of tree.waiting) wake()
  }

  #add(session: string, root: string): void {
    const tree = this.#trees.get(root)
    if (tree === undefined) return
    this.#roots.set(session, root)
    tree.sessions.add(session)
  }
}

function keep(tree: LiveTree, event: CadreEvent): Kept {
  const kept = { number: ++tree.last, event }
  tree.kept.push(kept)
  for (const wake of tree.waiting) wake()
  return kept
}

/** Models send text in small pieces. Pieces that no client has yet become one event. */
function addText(tree: LiveTree, event: TextAdded): void {
  const { session, round, text } = event
  const size = (tree.sizes.get(session) ?? 0) + text.length
  tree.sizes.set(session, size)
  // A later piece must not follow a hole.
  if (size > maxText) return
  const known = tree.texts.get(session)
  if (known === undefined || known.number <= tree.given || known.event.round !== round) {
    tree.texts.set(session, keep(tree, event) as Kept & { event: TextAdded })
    return
  }
  known.event = { ...event, text: known.event.text + text }
  known.number = ++tree.last
  for (const wake of tree.waiting) wake()
}

/** Drops what is kept of the session now, and nothing that is added later. */
function dropLater(tree: LiveTree, session: string, matches: (event: CadreEvent) => boolean): void {
  const { last } = tree
  tree.texts.delete(session)
  stopDropping(tree, session)
  const drop = () => {
    tree.drops.delete(session)
    tree.kept = tree.kept.filter(
      ({ number, event }) => number > last || event.session !== session || !matches(event),
    )
  }
  tree.drops.set(session, setTimeout(drop, dropAfterMs).unref())
}

function stopDropping({ drops }: LiveTree, session: string): void {
  clearTimeout(drops.get(session))
  drops.delete(session)
}

function changeOf({ waiting }: LiveTree, wait: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      waiting.delete(wake)
      resolve()
    }
    const timer = setTimeout(wake, wait)
    waiting.add(wake)
  })
}

/** Models send text in small pieces. */
function merged(events: readonly CadreEvent[]): readonly CadreEvent[] {
  const result: CadreEvent[] = []
  for (const event of events) {
    const last = result.at(-1)
    const continues =
      event.type === 'text.added' &&
      last?.type === 'text.added' &&
      last.session === event.session &&
      last.round === event.round
    if (continues) result[result.length - 1] = { ...event, text: last.text + event.text }
    else result.push(event)
  }
  return result
}
