import { existsSync, readFileSync } from 'node:fs'
import { type Entry, isEndedStatus, type QuestionId, type StoredSession } from '@cadre/core'
import type { ReadSession, RestateKeeper } from '@cadre/restate'

export interface KillDriverOptions {
  readonly keeper: RestateKeeper
  /** Every effect is a line in this file. */
  readonly effects: string
  /** How many effects a tree has. */
  readonly effectsPerTree: number
}

/** What people have done with a tree, and how it ended. */
interface Tree {
  readonly id: string
  /** The messages that its lead must have, each exactly once. */
  readonly expected: string[]
  isToldInMiddle: boolean
  isEditedWhileRunning: boolean
  isEditedWhileWaiting: boolean
  /** Since when its tree rests although no question is open, and what its state was. */
  stuck: { readonly since: number; readonly state: string } | undefined
  end: { readonly status: string; readonly sessions: number } | undefined
}

/** Nothing has happened for this long: the run hangs. */
const patience = 180_000
/**
 * A tree that rests without an open question must have an order that continues it. Longer than a worker that stands still or a server that
 * restarts can delay that order. In milliseconds.
 */
const wakeLimit = 20_000

/** Plays the people: answers questions from what has really happened, and sends messages and edits in the middle. */
export class KillDriver {
  readonly #options: KillDriverOptions
  readonly #keeper: RestateKeeper
  readonly #trees: readonly Tree[]
  readonly #answered = new Set<string>()
  #progressAt = Date.now()
  #doubts = 0
  #approvals = 0
  readonly #lostWakeups: string[] = []

  constructor(ids: readonly string[], options: KillDriverOptions) {
    this.#options = options
    this.#keeper = options.keeper
    this.#trees = ids.map((id) => ({
      id,
      expected: [],
      isToldInMiddle: false,
      isEditedWhileRunning: false,
      isEditedWhileWaiting: false,
      stuck: undefined,
      end: undefined,
    }))
  }

  async drive(): Promise<void> {
    await inParallel(this.#trees, (tree) => this.#tell(tree, `early message for ${tree.id}`))
    for (;;) {
      const open = this.#trees.filter(({ end }) => end === undefined)
      if (open.length === 0) return
      const lines = linesOf(this.#options.effects)
      await inParallel(open, async (tree) => {
        const done = lines.filter((line) => line.split(' ')[1]?.startsWith(`${tree.id}/`)).length
        await retry(() => this.#disturb(tree, done / this.#options.effectsPerTree))
        await retry(() => this.#look(tree))
      })
      if (Date.now() - this.#progressAt > patience) {
        const hanging = await Promise.all(open.map((tree) => this.#describe(tree)))
        throw new Error(`nothing has happened for ${patience} ms:\n${hanging.join('\n')}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }

  result() {
    const ends = this.#trees.flatMap(({ end }) => end ?? [])
    const count = (isSo: (tree: Tree) => boolean) => this.#trees.filter(isSo).length
    return {
      ended: ends.length,
      completed: ends.filter(({ status }) => status === 'completed').length,
      sessions: ends.reduce((sum, { sessions }) => sum + sessions, 0),
      doubts: this.#doubts,
      approvals: this.#approvals,
      lostWakeups: this.#lostWakeups,
      toldInMiddle: count(({ isToldInMiddle }) => isToldInMiddle),
      editedWhileRunning: count(({ isEditedWhileRunning }) => isEditedWhileRunning),
      editedWhileWaiting: count(({ isEditedWhileWaiting }) => isEditedWhileWaiting),
    }
  }

  /** The trees whose lead does not have each message and each edit exactly once. */
  async wronglyTold(): Promise<string[]> {
    const wrong = await Promise.all(
      this.#trees.map(async ({ id, expected }) => {
        const stored = await retry(() => this.#keeper.read(id))
        return expected.filter((text) => countIn(stored, text) !== 1)
      }),
    )
    return wrong.flat()
  }

  /** Sends a message and an edit while some of the effects have happened, but not all. `done`: the part that has. */
  async #disturb(tree: Tree, done: number): Promise<void> {
    if (done >= 1) return
    if (!tree.isToldInMiddle && done > 0.25) {
      await this.#tell(tree, `message for ${tree.id}`)
      tree.isToldInMiddle = true
    }
    if (tree.isEditedWhileRunning || done === 0) return
    const stored = await this.#keeper.read(tree.id)
    if (stored?.isRunning !== true) return
    await this.#edit(tree, stored, `edit while running for ${tree.id}`)
    tree.isEditedWhileRunning = true
  }

  async #tell(tree: Tree, content: string): Promise<void> {
    const message = content.replaceAll(' ', '-')
    const told = await retry(() => this.#keeper.tell(tree.id, { content, message }))
    if (told !== 'queued') throw new Error(`${tree.id} was started, but a message to it was not accepted`)
    tree.expected.push(content)
  }

  /** Adds a message to the record of the lead by hand. */
  async #edit({ id, expected }: Tree, stored: ReadSession, content: string): Promise<void> {
    const { seq = 0, timestamp } = stored.entries.at(-1) ?? {}
    const entry = { role: 'user', content, seq: seq + 1, timestamp } as Entry
    const entries = [...stored.entries, entry]
    const edit = { id: content, entries, base: seq, summary: 'A message was added.' }
    await retry(() => this.#keeper.edit(id, edit))
    expected.push(content)
  }

  async #look(tree: Tree): Promise<void> {
    const { id, expected } = tree
    const state = await this.#keeper.state(id)
    const isStuck =
      state.kind === 'rested' && state.result.kind === 'waiting' && state.result.questions.length === 0
    if (!isStuck) tree.stuck = undefined
    if (state.kind !== 'rested') return
    const { result } = state
    if (result.kind === 'report') {
      // A message that arrives at the end wakes the tree.
      const stored = await this.#keeper.read(id)
      if (!expected.every((text) => countIn(stored, text) > 0)) return
      this.#end(tree, result.report)
    } else if (result.kind === 'failed') this.#end(tree, { status: result.message, sessions: 0 })
    else if (result.kind === 'waiting') {
      if (!tree.isEditedWhileWaiting) {
        const stored = await this.#keeper.read(id)
        if (stored === undefined) return
        tree.isEditedWhileWaiting = true
        await this.#edit(tree, stored, `edit while waiting for ${id}`)
      }
      for (const question of result.questions) await this.#answer(question)
      if (isStuck) await this.#rescue(tree)
    }
  }

  /**
   * Nothing may rest without an open question for long: an answer, a message or an edit that was accepted continues the tree. A tree that
   * does is counted, and resumed so that the other checks still say something.
   */
  async #rescue(tree: Tree): Promise<void> {
    const { sessions, read } = await this.#keeper.readTree(tree.id)
    const state = JSON.stringify([...sessions])
    if (tree.stuck?.state !== state) {
      tree.stuck = { since: Date.now(), state }
      return
    }
    if (Date.now() - tree.stuck.since < wakeLimit) return
    const open = await Promise.all([...sessions.keys()].map(async (id) => lastOf(id, await read(id))))
    this.#lostWakeups.push(`${tree.id}: ${open.filter(Boolean).join(', ')}`)
    tree.stuck = undefined
    await this.#keeper.resume(tree.id)
  }

  async #answer({ session, name }: QuestionId): Promise<void> {
    const key = `${session} ${name}`
    if (this.#answered.has(key)) return
    if (name.startsWith('doubt/')) {
      // The call is part of the question's name; later attempts add a number.
      const stored = await this.#keeper.read(session)
      const asked = stored?.entries.find(
        (entry) => entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === name,
      )
      if (asked?.role !== 'event') return
      const hasHappened = linesOf(this.#options.effects).some((line) =>
        line.endsWith(` ${session}/${asked.call}`),
      )
      await this.#keeper.answer({ session, name }, { decision: hasHappened ? 'done' : 'again', by: 'test' })
      this.#doubts += 1
    } else {
      await this.#keeper.answer({ session, name }, { decision: 'approve', by: 'test' })
      this.#approvals += 1
    }
    this.#answered.add(key)
    this.#progressAt = Date.now()
  }

  #end(tree: Tree, { status, sessions }: NonNullable<Tree['end']>): void {
    tree.end = { status, sessions }
    this.#progressAt = Date.now()
  }

  async #describe({ id, expected }: Tree): Promise<string> {
    const state = await retry(() => this.#keeper.state(id))
    const stored = await retry(() => this.#keeper.read(id))
    const missing = expected.filter((text) => countIn(stored, text) === 0)
    return `${id}: ${JSON.stringify(state)}, not received: ${JSON.stringify(missing)}`
  }
}

/** More at once would leave no processor to the trees. */
const lanes = 6

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
    }),
  )
}

/** What a session that has not ended recorded last. */
function lastOf(id: string, stored: StoredSession | undefined): string | undefined {
  if (stored === undefined || isEndedStatus(stored.status)) return undefined
  const last = stored.entries
    .slice(-4)
    .map((entry) =>
      entry.role === 'event' ? `${entry.type} ${String(entry['name'] ?? '')}`.trim() : entry.role,
    )
  return `${id} is ${stored.status} after ${last.join(' > ')}`
}

function countIn(stored: ReadSession | undefined, text: string): number {
  return (stored?.entries ?? []).filter(({ content }) => content === text).length
}

export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

/** The server may be down. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'backend' && code !== 'owned') throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
