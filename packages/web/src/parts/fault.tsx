import type { Answer } from './use-answer.ts'

/** Shows why data is missing or outdated, and a button to retry. */
export function Fault({ answer }: { readonly answer: Answer<unknown> }) {
  if (answer.error === undefined) return null
  return (
    <p class="fault-note" role="alert">
      <span>{answer.error}</span>
      <button type="button" disabled={answer.isLoading} onClick={answer.reload}>
        Try again
      </button>
    </p>
  )
}
