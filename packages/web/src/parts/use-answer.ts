import { batch, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export interface Answer<T> {
  readonly value: T | undefined
  readonly error: string | undefined
  readonly isLoading: boolean
  /** Repeats the request, and keeps the old answer until the new one arrives. */
  reload(): void
}

export interface AnswerInputs {
  /** Identifies the subject of the request. When it changes, the old answer is removed. */
  readonly of?: readonly unknown[]
  /** When it changes, the request is repeated. The old answer is kept meanwhile. */
  readonly again?: readonly unknown[]
}

/** Requests data from the server while the component is shown. Ignores answers that arrive too late. */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  { of = [], again = [] }: AnswerInputs = {},
): Answer<T> {
  const answer = useSignal<{ readonly value?: T; readonly error?: string }>({})
  const isLoading = useSignal(true)
  const version = useSignal(0)
  useEffect(() => {
    answer.value = {}
  }, of)
  useEffect(() => {
    const stop = new AbortController()
    isLoading.value = true
    const end = (next: typeof answer.value) => {
      if (stop.signal.aborted) return
      batch(() => {
        answer.value = next
        isLoading.value = false
      })
    }
    ask(stop.signal).then(
      (value) => end({ value }),
      (reason: unknown) =>
        end({ ...answer.peek(), error: reason instanceof Error ? reason.message : String(reason) }),
    )
    return () => stop.abort()
  }, [...of, ...again, version.value])
  const { value, error } = answer.value
  return {
    value,
    error,
    isLoading: isLoading.value,
    reload: () => {
      version.value += 1
    },
  }
}
