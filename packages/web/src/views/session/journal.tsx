import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { ExactText } from '../../parts/exact-text.tsx'
import { commandLine } from '../../parts/shell-word.ts'
import { useStore } from '../../store/app-context.ts'

/** The session file on disk. */
export function Journal({ id }: { readonly id: string }) {
  const store = useStore()
  const text = useSignal<string | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const seq = store.rows.get(id)?.row.value.updated
  useEffect(() => {
    const stop = new AbortController()
    store.client.getJournal({ params: { id }, signal: stop.signal }).then(
      (found) => {
        text.value = found.text
        error.value = undefined
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) error.value = reason instanceof Error ? reason.message : String(reason)
      },
    )
    return () => stop.abort()
  }, [id, seq])
  return (
    <div class="journal">
      <CommandHint command={commandLine('cadre', 'sessions', 'show', id, '--json')} />
      {error.value !== undefined && (
        <p class="fault" role="alert">
          {error.value}
        </p>
      )}
      {text.value !== undefined && <ExactText text={text.value} label={`${id}.session.yaml`} />}
    </div>
  )
}
