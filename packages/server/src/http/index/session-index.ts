/**
 * The rows of all sessions in a home, in memory. Provides lists, trees and totals without reading files.
 *
 * 1. `set`, `change` and `remove` are the only ways to change it. Each reports the changed rows: the session's own, and those of its
 *    ancestors, whose totals include it.
 * 2. Totals are computed on demand, at most once after each change.
 * 3. Headers can be edited: a session that claims to be below itself is the root of its own tree.
 */
import type { SessionRow, Subtree } from '@cadre/api'
import { addSpent, addUsage, CadreError, nothingCounted, type SpentBudget } from '@cadre/core'
import type { SessionFacts } from './session-facts.ts'

export interface RowFilter {
  readonly roots?: boolean
  readonly root?: string
  readonly state?: string
  readonly agent?: string
  readonly text?: string
  readonly since?: string
}

export interface SessionIndex {
  has(id: string): boolean
  facts(id: string): SessionFacts | undefined
  row(id: string): SessionRow | undefined
  /** All ids, most recently changed first. */
  ids(): readonly string[]
  /** The facts of the sessions that pass a test, in any order. */
  filter(test: (facts: SessionFacts) => boolean): readonly SessionFacts[]
  /** One page of rows, most recently changed first. `after` is the previous page's `next`. */
  list(
    filter: RowFilter,
    limit: number,
    after?: string,
  ): { readonly items: readonly SessionRow[]; readonly next?: string }
  /** A session and everything below it, parents before children. Empty if there is no such session. */
  tree(id: string): readonly SessionRow[]
  /** The top of the tree that contains this session. */
  rootOf(id: string): string | undefined
  /** Adds a session, or replaces its facts. */
  set(facts: SessionFacts): void
  /** Changes the facts of a known session. */
  change(id: string, change: (facts: SessionFacts) => void): void
  remove(id: string): void
  /** Sets the number of the event with which a row was last sent. */
  sent(id: string, seq: number): void
  /** Increases with every change of a row. */
  version(): number
}

export interface IndexListener {
  /** Receives the rows that have changed. May be called several times for one change. */
  changed(id: string): void
  removed(id: string): void
}

interface Node {
  facts: SessionFacts
  readonly children: Set<string>
  above: string | undefined
  sums: Subtree | undefined
  seq: number
}

export function createSessionIndex(listener: IndexListener): SessionIndex {
  const nodes = new Map<string, Node>()
  /** Sessions whose parent is still unknown, by the parent's id. */
  const orphans = new Map<string, Set<string>>()
  /** Most recently changed first. `undefined` after a change. */
  let order: Node[] | undefined
  let last: Node[] = []
  let version = 0

  /** Sessions of tasks, by the session whose budget pays for them. */
  const paid = new Map<string, Set<string>>()

  const touch = (id: string) => {
    order = undefined
    version += 1
    const seen = new Set<string>()
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); ) {
      seen.add(at)
      const node = nodes.get(at)
      if (node !== undefined) node.sums = undefined
      listener.changed(at)
      const payer = node?.facts.payer
      if (payer !== undefined) paid.set(payer, (paid.get(payer) ?? new Set()).add(at))
      at = node?.above ?? payer
    }
  }
  const isBelow = (id: string, top: string): boolean => {
    const seen = new Set<string>()
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = nodes.get(at)?.above) {
      if (at === top) return true
      seen.add(at)
    }
    return false
  }
  const attach = (id: string, node: Node) => {
    const { parent } = node.facts
    const above = parent === undefined ? undefined : nodes.get(parent)
    if (parent === undefined) return
    if (above === undefined) {
      const waiting = orphans.get(parent) ?? new Set<string>()
      orphans.set(parent, waiting.add(id))
    } else if (!isBelow(parent, id)) {
      node.above = parent
      above.children.add(id)
    }
  }
  const detach = (id: string, node: Node) => {
    const { parent } = node.facts
    if (node.above !== undefined) nodes.get(node.above)?.children.delete(id)
    else if (parent !== undefined) {
      orphans.get(parent)?.delete(id)
      if (orphans.get(parent)?.size === 0) orphans.delete(parent)
    }
    node.above = undefined
  }
  const adopt = (id: string) => {
    const waiting = orphans.get(id)
    if (waiting === undefined) return
    orphans.delete(id)
    for (const child of waiting) {
      const node = nodes.get(child)
      if (node !== undefined) attach(child, node)
    }
  }
  const sumsOf = (node: Node): Subtree => {
    if (node.sums !== undefined) return node.sums
    // Not recursive: trees can be deeper than the stack.
    const stack = [node]
    while (stack.length > 0) {
      const top = stack[stack.length - 1] as Node
      const open = [...top.children].flatMap((id) => {
        const child = nodes.get(id)
        return child === undefined || child.sums !== undefined ? [] : [child]
      })
      if (open.length > 0) {
        stack.push(...open)
        continue
      }
      top.sums = addUp(top, nodes, paid)
      stack.pop()
    }
    return node.sums ?? addUp(node, nodes, paid)
  }
  const topOf = (id: string): string => {
    let top = id
    for (let at = nodes.get(id)?.above; at !== undefined; at = nodes.get(at)?.above) top = at
    return top
  }
  const rowOf = (node: Node): SessionRow => {
    const { facts } = node
    const { id, agent, parent, call, depth, state, outcome, work, model, created, updated, usage } = facts
    const sums = sumsOf(node)
    const doing = doingOf(facts, sums)
    return {
      id,
      agent,
      ...(parent !== undefined && { parent }),
      ...(call !== undefined && { call }),
      root: topOf(id),
      depth,
      state,
      ...(outcome !== undefined && state === 'ended' && { outcome }),
      work,
      ...(doing !== undefined && { doing }),
      ...(model !== undefined && { model }),
      created,
      updated,
      usage,
      subtree: sums,
      seq: node.seq,
    }
  }
  const ordered = (): readonly Node[] => {
    if (order !== undefined) return order
    // The previous order is almost correct, so sorting it is fast.
    const known = last.length === nodes.size ? last : [...nodes.values()]
    order = known.sort((a, b) => compare(a.facts, b.facts))
    last = order
    return order
  }

  return {
    has: (id) => nodes.has(id),
    facts: (id) => nodes.get(id)?.facts,
    row(id) {
      const node = nodes.get(id)
      return node && rowOf(node)
    },
    ids: () => ordered().map(({ facts }) => facts.id),
    filter(test) {
      const found: SessionFacts[] = []
      for (const { facts } of nodes.values()) if (test(facts)) found.push(facts)
      return found
    },
    list(filter, limit, after) {
      const from = after === undefined ? undefined : requireCursor(after)
      const items: SessionRow[] = []
      const candidates = filter.root === undefined ? ordered() : subtree(nodes, filter.root).sort(byChange)
      const test = filterOf(filter)
      for (const node of candidates) {
        if (from !== undefined && compare(node.facts, from) <= 0) continue
        if (filter.roots === true && node.above !== undefined) continue
        if (!test(node.facts)) continue
        if (items.length === limit) {
          const end = items[items.length - 1]
          return { items, ...(end && { next: cursorOf(end) }) }
        }
        items.push(rowOf(node))
      }
      return { items }
    },
    tree: (id) => subtree(nodes, id).map(rowOf),
    rootOf: (id) => (nodes.has(id) ? topOf(id) : undefined),
    set(facts) {
      const { id } = facts
      const known = nodes.get(id)
      if (known === undefined) {
        const node: Node = { facts, children: new Set(), above: undefined, sums: undefined, seq: 0 }
        nodes.set(id, node)
        attach(id, node)
        adopt(id)
        last = []
      } else if (known.facts.parent !== facts.parent) {
        touch(id)
        detach(id, known)
        known.facts = facts
        attach(id, known)
      } else known.facts = facts
      touch(id)
    },
    change(id, change) {
      const node = nodes.get(id)
      if (node === undefined) return
      change(node.facts)
      touch(id)
    },
    remove(id) {
      const node = nodes.get(id)
      if (node === undefined) return
      touch(id)
      detach(id, node)
      nodes.delete(id)
      last = []
      for (const child of node.children) {
        const below = nodes.get(child)
        if (below === undefined) continue
        below.above = undefined
        attach(child, below)
        listener.changed(child)
      }
      listener.removed(id)
    },
    sent(id, seq) {
      const node = nodes.get(id)
      if (node === undefined) return
      node.seq = seq
      version += 1
    },
    version: () => version,
  }
}

function addUp(node: Node, nodes: ReadonlyMap<string, Node>, paid: Paid): Subtree {
  const { facts, children } = node
  let sessions = 1
  let { calls } = facts
  let waiting = facts.questions.size
  let usage = facts.usage
  for (const id of children) {
    const sums = nodes.get(id)?.sums
    if (sums === undefined) continue
    sessions += sums.sessions
    calls += sums.calls
    waiting += sums.waiting
    usage = addUsage(usage, sums.usage)
  }
  const { budget } = facts
  return {
    sessions,
    calls,
    waiting,
    usage,
    ...(budget && { budget, spent: spentBelow(facts.id, nodes, paid) }),
  }
}

type Paid = ReadonlyMap<string, ReadonlySet<string>>

/** What the budget of a session counts: the session, everything below it, and the tasks that those sessions created. */
function spentBelow(top: string, nodes: ReadonlyMap<string, Node>, paid: Paid): SpentBudget {
  let spent = nothingCounted
  const seen = new Set<string>()
  const open = [top]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodes.get(id)
    if (node === undefined || seen.has(id)) continue
    seen.add(id)
    spent = addSpent(spent, node.facts.spent)
    open.push(...node.children, ...(paid.get(id) ?? []))
  }
  return spent
}

/** Parents before children, children in the order in which they were created. */
function subtree(nodes: ReadonlyMap<string, Node>, top: string): Node[] {
  const found: Node[] = []
  const open = [top]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodes.get(id)
    if (node === undefined) continue
    found.push(node)
    const children = [...node.children].sort((a, b) => byCreation(nodes.get(b), nodes.get(a)))
    open.push(...children)
  }
  return found
}

function filterOf({ state, agent, text, since }: RowFilter): (facts: SessionFacts) => boolean {
  const wanted = text?.toLowerCase()
  const states = state === undefined ? undefined : new Set(state.split(','))
  return (facts) =>
    (states === undefined || states.has(facts.state)) &&
    (agent === undefined || facts.agent === agent) &&
    (since === undefined || facts.updated >= since) &&
    (wanted === undefined ||
      facts.id.toLowerCase().includes(wanted) ||
      facts.agent.toLowerCase().includes(wanted) ||
      facts.work.toLowerCase().includes(wanted))
}

type Position = Pick<SessionFacts, 'updated' | 'id'>

function compare(a: Position, b: Position): number {
  if (a.updated !== b.updated) return a.updated < b.updated ? 1 : -1
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

function byChange(a: Node, b: Node): number {
  return compare(a.facts, b.facts)
}

function byCreation(a: Node | undefined, b: Node | undefined): number {
  const [x, y] = [a?.facts.created ?? '', b?.facts.created ?? '']
  return x === y ? 0 : x < y ? -1 : 1
}

/** A position instead of an index, because rows move while a reader requests one page after another. */
function cursorOf({ updated, id }: Position): string {
  return Buffer.from(JSON.stringify([updated, id])).toString('base64url')
}

function requireCursor(text: string): Position {
  const [updated, id] = valuesIn(text)
  if (typeof updated === 'string' && typeof id === 'string') return { updated, id }
  throw new CadreError(
    'usage',
    '"after" is not a position in this list. Use the "next" value from the previous page.',
  )
}

function valuesIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** What the session does now. What it did before it was suspended says nothing about a session that waits. */
function doingOf({ state, doing, questions }: SessionFacts, { waiting }: Subtree): string | undefined {
  if (state === 'working') return doing
  if (state !== 'waiting' || waiting === 0) return undefined
  return questions.size > 0 ? 'is waiting for a decision' : 'is waiting for a decision in a child session'
}
