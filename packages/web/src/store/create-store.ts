import type { Client, Me, Role, SessionRow, StreamEvent } from '@cadre/api'
import type { CadreEvent } from '@cadre/core'
import { batch, computed, signal } from '@preact/signals'
import { homeFlag } from '../parts/home-flag.ts'
import { type ConnectionState, type FollowedStream, followStream } from './follow-stream.ts'
import { PendingApprovals } from './pending-approvals.ts'
import { SessionRows } from './session-rows.ts'

export interface StoreOptions {
  readonly client: Client
  /** See `SessionRows`. */
  readonly schedule: (flush: () => void) => void
  readonly whenLookedAt: (signal: AbortSignal) => Promise<void>
  readonly pause: (signal: AbortSignal) => Promise<void>
}

export type Store = ReturnType<typeof createStore>

/** The number of entry sessions in one request. */
const pageSize = 200

/** Everything that the page knows about the home. Views read signals, and do not request data that the stream sends. */
export function createStore({ client, schedule, whenLookedAt, pause }: StoreOptions) {
  const rows = new SessionRows({ schedule })
  const approvals = new PendingApprovals()
  const connection = signal<{ readonly state: ConnectionState; readonly why?: string }>({
    state: 'connecting',
  })
  const me = signal<Me | undefined>(undefined)
  /** Pass it as `after` to load more entry sessions. Absent if all are loaded. */
  const next = signal<string | undefined>(undefined)
  const problems = signal(0)
  const isReady = signal(false)
  /** Counters that increase when task files, problems or the daemon's status change, or when everything is reloaded. */
  const versions = { tasks: signal(0), problems: signal(0), status: signal(0), snapshot: signal(0) }
  const followed = new Map<string, Set<(event: CadreEvent) => void>>()
  let stream: FollowedStream | undefined
  let areObjectionsDue = false
  let isReadingObjections = false

  return {
    client,
    rows,
    approvals,
    connection,
    me,
    next,
    problems,
    isReady,
    versions,
    waiting: computed(() => approvals.pending.value.length),
    /** Returns whether this login may currently do something that needs the role. */
    may(role: Role): boolean {
      const who = me.value
      if (who === undefined || who.readOnly) return false
      if (role === 'operator' && !who.daemon) return false
      return who.roles.includes(role) || who.roles.includes('admin')
    },
    start(): void {
      stream ??= followStream({
        client,
        snapshot,
        take,
        setState: (state, why) => {
          connection.value = why === undefined ? { state } : { state, why }
        },
        roots: () => [...followed.keys()],
        whenLookedAt,
        pause,
      })
    },
    stop(): void {
      stream?.stop()
    },
    /** Loads the next page of entry sessions. If that fails, the next call retries. */
    async readMore(): Promise<void> {
      const after = next.peek()
      if (after === undefined) return
      const snapshotBefore = versions.snapshot.peek()
      // If everything was reloaded in the meantime, this position belongs to an outdated list.
      const isCurrent = () => versions.snapshot.peek() === snapshotBefore
      next.value = undefined
      try {
        const page = await client.listSessions({ query: { roots: true, limit: pageSize, after } })
        if (!isCurrent()) return
        for (const row of page.items) rows.show(row)
        next.value = page.next
      } catch (error) {
        if (isCurrent()) next.value = after
        throw error
      }
    },
    /** Reads the tree's rows and keeps them up to date until the returned function is called. */
    openTree(root: string): () => void {
      rows.openTree(root)
      const isRead = readTree(root)
      let isOpen = true
      // Removes the rows if the tree could not be read.
      isRead.catch((error: unknown) => console.warn(error))
      return () => {
        if (isOpen) rows.closeTree(root)
        isOpen = false
      }
    },
    /** Calls `take` for every event of the tree until the returned function is called. */
    follow(root: string, listener: (event: CadreEvent) => void): () => void {
      const listeners = followed.get(root) ?? new Set()
      listeners.add(listener)
      if (!followed.has(root)) {
        followed.set(root, listeners)
        stream?.reopen()
      }
      return () => {
        listeners.delete(listener)
        // Following fewer trees does not reopen the stream. It is reopened when the next tree is followed.
        if (listeners.size === 0) followed.delete(root)
      }
    },
  }

  function know(who: Me): void {
    me.value = who
    homeFlag.value = who.homeFlag
  }

  async function snapshot(): Promise<string> {
    const [who, first, pending, found] = await Promise.all([
      client.me(),
      client.listSessions({ query: { roots: true, limit: pageSize } }),
      client.listApprovals({ query: { status: 'pending', limit: 500 } }),
      client.listProblems().catch(() => undefined),
    ])
    const trees = await Promise.all(rows.openTrees.map((root) => treeRows(root)))
    batch(() => {
      know(who)
      rows.clear()
      for (const row of [...first.items, ...trees.flat()]) rows.put(row)
      rows.flush()
      next.value = first.next
      approvals.reset(pending.items)
      problems.value = found?.items.length ?? 0
      versions.snapshot.value += 1
      isReady.value = true
    })
    return first.at
  }

  async function readTree(root: string): Promise<void> {
    for (const row of await treeRows(root)) rows.put(row)
  }

  /** One request at a time, no matter how many approvals arrive. */
  async function readObjections(): Promise<void> {
    areObjectionsDue = true
    if (isReadingObjections) return
    isReadingObjections = true
    try {
      while (areObjectionsDue) {
        areObjectionsDue = false
        const { items } = await client.listApprovals({ query: { status: 'pending', limit: 500 } })
        batch(() => {
          for (const { id, objection } of items) approvals.object(id, objection)
        })
      }
    } catch (error) {
      // The server checks every decision, whatever the page shows.
      console.warn(error)
    } finally {
      isReadingObjections = false
    }
  }

  /** A deleted tree has no rows. This is not an error. */
  async function treeRows(root: string): Promise<readonly SessionRow[]> {
    return (await client.getTree({ params: { id: root } }).catch(() => undefined))?.rows ?? []
  }

  function take(event: StreamEvent): void {
    switch (event.type) {
      case 'row':
        rows.put(event.row)
        break
      case 'row.removed':
        rows.remove(event.id)
        break
      case 'event':
        for (const listener of followed.get(event.root) ?? []) listener(event.event)
        break
      case 'approval.asked':
      case 'approval.changed':
        approvals.put(event.approval)
        if (event.approval.status === 'pending') void readObjections()
        break
      case 'problems.changed':
        problems.value = event.count
        versions.problems.value += 1
        break
      case 'tasks.changed':
        versions.tasks.value += 1
        break
      case 'status':
        versions.status.value += 1
        void client.me().then((who) => {
          know(who)
        }, console.warn)
        break
    }
  }
}
