import { classOf, type Entry, type Question, type StoredSession } from '@cadre/core'
import type { FileChange } from '../output/diff/diff-text.ts'

/** The changes to files of a call that needs approval; `undefined` if they cannot be computed. */
export async function previewQuestion(
  { spec, entries }: Pick<StoredSession, 'spec' | 'entries'>,
  { call, detail }: Question,
): Promise<readonly FileChange[] | undefined> {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return undefined
  const { tool, arguments: given } = detail as { tool?: unknown; arguments?: unknown }
  if (typeof tool !== 'string' || classOf(tool) !== 'edit' || typeof given !== 'string') return undefined
  const { previewChange } = await import('@cadre/tools')
  // The arguments are in the dialect of the name that the model used.
  const spelling = entries.map((entry) => nameOfCall(entry, call)).find((name) => name !== undefined) ?? tool
  return previewChange({ tool, spelling, arguments: given, workspace: spec.workspace })
}

function nameOfCall(entry: Entry, call: string): string | undefined {
  if (entry.role !== 'assistant') return undefined
  return entry.tool_calls?.find(({ id }) => id === call)?.function.name
}
