import type { Entry, Question, StoredSession } from '@cadre/core'
import { type Documents, type FilePreview, previewChange } from '@cadre/tools'

/** The file changes by a call that needs approval, or `undefined` if they cannot be computed. */
export async function previewQuestion(
  { spec, entries }: Pick<StoredSession, 'spec' | 'entries'>,
  { call, detail }: Question,
  documents: Documents,
): Promise<readonly FilePreview[] | undefined> {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return undefined
  const { tool, arguments: given } = detail as { tool?: unknown; arguments?: unknown }
  if (typeof tool !== 'string' || typeof given !== 'string') return undefined
  // The arguments use the dialect of the tool name that the model used.
  const spelling = entries.map((entry) => nameOfCall(entry, call)).find((name) => name !== undefined) ?? tool
  return previewChange({ tool, spelling, arguments: given, workspace: spec.workspace, documents })
}

function nameOfCall(entry: Entry, call: string): string | undefined {
  if (entry.role !== 'assistant') return undefined
  return entry.tool_calls?.find(({ id }) => id === call)?.function.name
}
