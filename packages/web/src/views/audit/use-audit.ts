import type { JsonObject } from '@cadre/core'
import { batch, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../../store/app-context.ts'

export interface AuditFilter {
  readonly type: string
  readonly session: string
  readonly decision: string
}

const pageSize = 100

/** Audit log lines, newest first, page by page. */
export function useAudit({ type, session, decision }: AuditFilter) {
  const { client } = useStore()
  const lines = useSignal<readonly JsonObject[]>([])
  const next = useSignal<string | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const isLoading = useSignal(true)
  const version = useSignal(0)
  const current = useRef(new AbortController())
  const read = async (stop: AbortController, after: string | undefined) => {
    isLoading.value = true
    try {
      const query = {
        limit: pageSize,
        ...(after !== undefined && { after }),
        ...(type !== '' && { type }),
        ...(session !== '' && { session }),
        ...(decision !== '' && { decision }),
      }
      const page = await client.listAudit({ query, signal: stop.signal })
      if (stop.signal.aborted) return
      batch(() => {
        lines.value = after === undefined ? page.items : [...lines.peek(), ...page.items]
        next.value = page.next
        error.value = undefined
        isLoading.value = false
      })
    } catch (reason) {
      if (stop.signal.aborted) return
      batch(() => {
        error.value = reason instanceof Error ? reason.message : String(reason)
        isLoading.value = false
      })
    }
  }
  useEffect(() => {
    const stop = new AbortController()
    current.current = stop
    void read(stop, undefined)
    return () => stop.abort()
  }, [type, session, decision, version.value])
  return {
    lines: lines.value,
    hasMore: next.value !== undefined,
    error: error.value,
    isLoading: isLoading.value,
    readMore: () => {
      if (!isLoading.peek() && next.peek() !== undefined) void read(current.current, next.peek())
    },
    reload: () => {
      version.value += 1
    },
  }
}
