import { interpretToolName, normaliseInput, type Tool } from '@cadre/core'
import { createPathResolver } from '@cadre/gate'
import { changesOf, type FileChange } from './changes-of.ts'
import { editFileTool } from './edit-file.ts'
import type { EditInput } from './edit-input.ts'
import { createdSummary, type WriteFileInput, writeFileTool } from './write-file.ts'

/** A change to a file, as far as the record of a call has it. */
export type RecordedChange =
  /** Text in the file was replaced. */
  | { readonly kind: 'part'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'created'; readonly path: string; readonly after: string }
  /** The whole text was replaced. The record does not have the earlier one. */
  | { readonly kind: 'replaced'; readonly path: string; readonly after: string }
  | { readonly kind: 'deleted'; readonly path: string }
  | { readonly kind: 'moved'; readonly path: string; readonly to: string }

/**
 * Returns the changes of a completed call of `write_file` or `edit_file`, from its arguments and its result alone: the files may have changed
 * since. `undefined` for other tools, and for arguments that the tool does not accept.
 */
export async function recordedChanges(call: {
  /** The tool name in the call; the arguments are in that dialect. */
  readonly spelling: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
  readonly result: string
}): Promise<readonly RecordedChange[] | undefined> {
  const meaning = interpretToolName(call.spelling)
  const names = meaning.kind === 'tools' ? meaning.names : []
  const rules = { places: createPathResolver() }
  const tool = [writeFileTool(rules), editFileTool(rules)].find(({ name }) => names.includes(name))
  if (tool === undefined) return undefined
  try {
    const input = await inputOf(tool, call)
    if (tool.name === 'edit_file') return changesOf(input as EditInput).flatMap(partsOf)
    const { path, content: after } = input as WriteFileInput
    return [{ kind: call.result.startsWith(createdSummary) ? 'created' : 'replaced', path, after }]
  } catch {
    return undefined
  }
}

async function inputOf(
  tool: Tool,
  { spelling, arguments: given }: { readonly spelling: string; readonly arguments: string },
): Promise<unknown> {
  const result = await tool.input['~standard'].validate(normaliseInput(tool, spelling, JSON.parse(given)))
  if (result.issues !== undefined) throw new Error('the arguments are invalid')
  return result.value
}

function partsOf(change: FileChange): RecordedChange[] {
  const { path } = change
  switch (change.kind) {
    case 'add':
      return [{ kind: 'created', path, after: change.content }]
    case 'delete':
      return [{ kind: 'deleted', path }]
    case 'edit':
      return change.edits.map((edit) => ({ kind: 'part', path, before: edit.old, after: edit.new }))
    case 'update': {
      const target = change.moveTo ?? path
      const parts = change.hunks.map(
        (hunk): RecordedChange => ({
          kind: 'part',
          path: target,
          before: hunk.old.join('\n'),
          after: hunk.new.join('\n'),
        }),
      )
      return change.moveTo === undefined ? parts : [{ kind: 'moved', path, to: target }, ...parts]
    }
  }
}
