import { type Entry, isObject, type StoredSession } from '@cadre/core'
import type { Documents } from './documents.ts'
import { type FilePreview, previewChange } from './preview-change.ts'

/** Like `previewChange`, for a call that needs approval. `detail`: of the question, as it is recorded. */
export async function previewQuestion(
  { spec, entries }: Pick<StoredSession, 'spec' | 'entries'>,
  { call, detail }: { readonly call: string; readonly detail?: unknown },
  documents?: Documents,
): Promise<readonly FilePreview[] | undefined> {
  const { tool, arguments: given } = isObject(detail) ? detail : {}
  if (typeof tool !== 'string' || typeof given !== 'string') return undefined
  // The arguments are in the dialect of the name that the model used.
  const spelling = entries.map((entry) => nameOfCall(entry, call)).find((name) => name !== undefined) ?? tool
  return previewChange({ tool, spelling, arguments: given, workspace: spec.workspace, documents })
}

function nameOfCall(entry: Entry, call: string): string | undefined {
  if (entry.role !== 'assistant') return undefined
  return entry.tool_calls?.find(({ id }) => id === call)?.function.name
}
