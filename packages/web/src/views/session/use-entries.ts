/**
 * Keeps one session's entries up to date while its component is shown.
 *
 * 1. The journal is the source of truth: after every recorded event, it loads the new entries. Only unfinished text comes from the stream.
 * 2. One request runs at a time. Events during a request cause one more.
 * 3. If the journal became shorter or was edited, everything is reloaded.
 */
import type { EntriesPage } from '@cadre/api'
import type { CadreEvent, Entry } from '@cadre/core'
import { batch, effect, type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useStore } from '../../store/app-context.ts'

const pageSize = 200

export interface LiveReply {
  readonly round: number
  readonly text: string
}

export interface Entries {
  readonly entries: Signal<readonly Entry[]>
  readonly etag: Signal<string>
  readonly isLoaded: Signal<boolean>
  readonly error: Signal<string | undefined>
  /** Pass it to load earlier entries. Absent if all are loaded. */
  readonly before: Signal<number | undefined>
  /** The reply that is currently arriving. */
  readonly live: Signal<LiveReply | undefined>
  /** The progress of running calls, by call. */
  readonly progress: Signal<ReadonlyMap<string, string>>
  readEarlier(): Promise<void>
  refresh(): void
}

export function useEntries(id: string, root: string): Entries {
  const store = useStore()
  const { client } = store
  const entries = useSignal<readonly Entry[]>([])
  const etag = useSignal('')
  const isLoaded = useSignal(false)
  const error = useSignal<string | undefined>(undefined)
  const before = useSignal<number | undefined>(undefined)
  const live = useSignal<LiveReply | undefined>(undefined)
  const progress = useSignal<ReadonlyMap<string, string>>(new Map())
  const state = useSignal({ isBusy: false, isWanted: false, mustReload: false }).peek()
  const read = async () => {
    if (state.isBusy) {
      state.isWanted = true
      return
    }
    state.isBusy = true
    state.isWanted = false
    try {
      const last = entries.peek().at(-1)?.seq
      const isNew = last === undefined || state.mustReload
      state.mustReload = false
      const query = isNew ? { limit: pageSize } : { limit: pageSize, after: last }
      let page = await client.listEntries({ params: { id }, query })
      const isShorter = !isNew && page.total < last
      if (isShorter) page = await client.listEntries({ params: { id }, query: { limit: pageSize } })
      apply(page, isNew || isShorter)
      // More than one page was appended.
      if (!isNew && !isShorter && page.entries.length === pageSize) state.isWanted = true
    } catch (reason) {
      error.value = reason instanceof Error ? reason.message : String(reason)
    } finally {
      state.isBusy = false
      if (state.isWanted) void read()
    }
  }
  const apply = (page: EntriesPage, isNew: boolean) =>
    batch(() => {
      entries.value = isNew ? page.entries : [...entries.peek(), ...page.entries]
      if (isNew) before.value = page.before
      etag.value = page.etag
      error.value = undefined
      isLoaded.value = true
      // The recorded reply replaces the streamed text.
      if (page.entries.some(({ role }) => role === 'assistant')) live.value = undefined
    })
  useEffect(() => {
    const take = (event: CadreEvent) => {
      if (event.session !== id) return
      if (event.type === 'text.added') {
        const known = live.peek()
        live.value = {
          round: event.round,
          text: (known?.round === event.round ? known.text : '') + event.text,
        }
      } else if (event.type === 'call.progressed')
        progress.value = new Map(progress.peek()).set(event.call, event.text)
      else {
        if (event.type === 'journal.edited') state.mustReload = true
        if (event.type === 'round.started') live.value = undefined
        void read()
      }
    }
    const leave = store.follow(root, take)
    // Sessions in other processes send rows, and possibly no events.
    let seq = -1
    const stopRow = effect(() => {
      store.rows.structure.value
      const row = store.rows.get(id)?.row.value
      if (row === undefined || row.seq === seq) return
      seq = row.seq
      void read()
    })
    const stopSnapshot = store.versions.snapshot.subscribe(() => void read())
    return () => {
      leave()
      stopRow()
      stopSnapshot()
    }
  }, [id, root])
  return {
    entries,
    etag,
    isLoaded,
    error,
    before,
    live,
    progress,
    refresh: () => {
      state.mustReload = true
      void read()
    },
    async readEarlier() {
      const from = before.peek()
      if (from === undefined) return
      const page = await client.listEntries({ params: { id }, query: { limit: pageSize, before: from } })
      // Another request has loaded these entries, or everything was reloaded.
      if (before.peek() !== from) return
      batch(() => {
        entries.value = [...page.entries, ...entries.peek()]
        before.value = page.before
      })
    },
  }
}
