import type { ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useStore } from '../../store/app-context.ts'

const quietMs = 250
const mostTrees = 20

/**
 * Loads the sessions that match a filter from the server, because the page has only entry sessions and open trees. Trees with a match are open while
 * the filter is set. Repeats the search whenever the page has reloaded everything.
 */
export function useFoundTrees(filter: ReadonlySignal<string>): void {
  const store = useStore()
  const typed = filter.value.trim()
  useEffect(() => {
    if (typed === '') return
    const stop = new AbortController()
    const opened = new Map<string, () => void>()
    const find = async () => {
      const found = await store.client.listSessions({
        query: { ...queryOf(typed), limit: 200 },
        signal: stop.signal,
      })
      for (const row of found.items) if (row.parent === undefined) store.rows.show(row)
      const roots = new Set(found.items.filter(({ parent }) => parent !== undefined).map(({ root }) => root))
      for (const root of roots) {
        if (opened.size >= mostTrees) break
        const { row } = await store.client.getSession({ params: { id: root }, signal: stop.signal })
        if (stop.signal.aborted) return
        store.rows.show(row)
        if (!opened.has(root)) opened.set(root, store.openTree(root))
      }
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const findSoon = () => {
      clearTimeout(timer)
      // A link can open the view before the page has loaded anything.
      if (!store.isReady.peek()) return
      timer = setTimeout(() => {
        find().catch((error: unknown) => {
          if (!stop.signal.aborted) console.warn(error)
        })
      }, quietMs)
    }
    const leave = store.versions.snapshot.subscribe(findSoon)
    return () => {
      leave()
      clearTimeout(timer)
      stop.abort()
      for (const close of opened.values()) close()
    }
  }, [typed])
}

/** The server searches for one text. The page then checks every word. */
export function queryOf(typed: string): { text?: string; state?: string; agent?: string } {
  const query: { text?: string; state?: string; agent?: string } = {}
  for (const word of typed.split(/\s+/)) {
    const [, field, value = ''] = /^(state|agent|model):(.*)$/.exec(word) ?? []
    if (field === 'state' && states.has(value)) query.state = value
    else if (field === undefined && query.text === undefined && word !== '') query.text = word
  }
  return query
}

const states: ReadonlySet<string> = new Set(['queued', 'working', 'waiting', 'ended', 'stopped'])
