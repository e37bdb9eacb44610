import type { Approval, ApprovalDiff as Diff } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useStore } from '../../store/app-context.ts'
import { DiffView } from '../diff-view.tsx'
import { changesNothing } from '../patch-lines.ts'

/** The change that a call would make to a file. The server computes it from the call and the current file. */
export function ApprovalDiff({ approval: { id } }: { readonly approval: Approval }) {
  const { client } = useStore()
  const diff = useSignal<Diff | string | undefined>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    client.getApprovalDiff({ params: { id }, signal: stop.signal }).then(
      (found) => {
        diff.value = found
      },
      (error: unknown) => {
        if (!stop.signal.aborted) diff.value = error instanceof Error ? error.message : String(error)
      },
    )
    return () => stop.abort()
  }, [id])
  const found = diff.value
  if (found === undefined) return null
  if (typeof found === 'string') return <p class="hint">Cannot show the change: {found}</p>
  if (found.patch === '') return found.note === undefined ? null : <p class="hint">{found.note}</p>
  return (
    <>
      <p class="label">Change</p>
      {found.note !== undefined && <p class="hint">{found.note}</p>}
      {changesNothing(found.patch) ? (
        <p class="hint">The file already has this content.</p>
      ) : (
        <DiffView patch={found.patch} />
      )}
    </>
  )
}
