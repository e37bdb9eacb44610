import type { Approval } from '@cadre/api'
import { useStore } from '../../store/app-context.ts'
import { DiffView } from '../diff-view.tsx'
import { changesNothing } from '../patch-lines.ts'
import { useAnswer } from '../use-answer.ts'

/** The change that a call would make to a file. The server computes it from the call and the current file. */
export function ApprovalDiff({ approval: { id } }: { readonly approval: Approval }) {
  const { client } = useStore()
  const { value: found, error } = useAnswer((signal) => client.getApprovalDiff({ params: { id }, signal }), {
    of: [id],
  })
  if (error !== undefined) return <p class="hint">Cannot show the change: {error}</p>
  if (found === undefined) return null
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
