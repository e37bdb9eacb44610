/**
 * One run's sessions with all their rounds and calls, updated live.
 *
 * 1. Journals are loaded first, a few at a time. Events that arrive meanwhile are applied afterwards. Repeated events have no effect. When
 *    everything is reloaded, the old state stays until the new one is complete.
 * 2. For very large runs, only the first sessions are loaded. `missing` is the number of the others.
 */
import type { SessionRow } from '@cadre/api'
import {
  applyToView,
  type CadreEvent,
  type Entry,
  emptyView,
  eventsOf,
  type StoredSession,
  type View,
} from '@cadre/core'
import { batch, type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useStore } from '../../store/app-context.ts'
import type { Store } from '../../store/create-store.ts'

const mostSessions = 400
const atOnce = 4
const pageSize = 1000

export interface TimelineRun {
  /** Replaced whenever something has changed, at most once per frame. */
  readonly view: Signal<{ readonly view: View; readonly version: number }>
  readonly isLoaded: Signal<boolean>
  /** The reason why the run, or a part of it, could not be loaded. */
  readonly error: Signal<string | undefined>
  readonly missing: Signal<number>
}

export function useRun(root: string): TimelineRun {
  const store = useStore()
  const view = useSignal({ view: emptyView(), version: 0 })
  const isLoaded = useSignal(false)
  const error = useSignal<string | undefined>(undefined)
  const missing = useSignal(0)
  useEffect(() => {
    const stop = new AbortController()
    const fresh = emptyView()
    let isPlanned = false
    const show = () => {
      view.value = { view: fresh, version: view.peek().version + 1 }
    }
    const draw = () => {
      if (isPlanned || stop.signal.aborted) return
      isPlanned = true
      requestAnimationFrame(() => {
        isPlanned = false
        if (!stop.signal.aborted) show()
      })
    }
    let early: CadreEvent[] | undefined = []
    const take = (event: CadreEvent) => {
      if (event.type === 'text.added' || event.type === 'call.progressed') return
      if (early !== undefined) early.push(event)
      else {
        applyToView(fresh, event)
        draw()
      }
    }
    const leave = store.follow(root, take)
    const close = store.openTree(root)
    const read = async () => {
      const { rows } = await store.client.getTree({ params: { id: root }, signal: stop.signal })
      missing.value = Math.max(0, rows.length - mostSessions)
      const left = rows.slice(0, mostSessions)
      const worker = async () => {
        for (let row = left.shift(); row !== undefined; row = left.shift()) {
          const entries = await allEntries(store, row.id, stop.signal)
          for (const event of eventsOf(storedOf(row, entries))) applyToView(fresh, event)
          if (!isLoaded.peek()) draw()
        }
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      for (const event of early ?? []) applyToView(fresh, event)
      early = undefined
      if (stop.signal.aborted) return
      batch(() => {
        error.value = undefined
        isLoaded.value = true
        show()
      })
    }
    read().catch((reason: unknown) => {
      if (stop.signal.aborted) return
      error.value = reason instanceof Error ? reason.message : String(reason)
      isLoaded.value = true
    })
    return () => {
      stop.abort()
      leave()
      close()
    }
  }, [root, store.versions.snapshot.value])
  return { view, isLoaded, error, missing }
}

async function allEntries({ client }: Store, id: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const all: Entry[] = []
  for (;;) {
    const query = { limit: pageSize, after: all.at(-1)?.seq ?? 0 }
    const page = await client.listEntries({ params: { id }, query, signal })
    all.push(...page.entries)
    if (page.entries.length < pageSize) return all
  }
}

/** The parts of a stored session that `eventsOf` needs. */
function storedOf(row: SessionRow, entries: readonly Entry[]): StoredSession {
  const { id, agent, root, depth, model = '', work, created, parent, call } = row
  const above = parent === undefined ? {} : { parent: { session: parent, call: call ?? '' } }
  const spec = { id, agent: { name: agent }, root, depth, model, work: { content: work }, created, ...above }
  return { spec, entries } as unknown as StoredSession
}
