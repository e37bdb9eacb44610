import { normaliseInput, type Tool, type ToolContext } from '@cadre/core'
import { createPathResolver } from '@cadre/gate'
import { changesOf } from './changes-of.ts'
import { confinePath } from './confine-path.ts'
import { type Documents, type DocumentsOfCall, documentsOfCall } from './documents.ts'
import { editFileTool, type LocateFile, planOf, type Step } from './edit-file.ts'
import type { EditInput } from './edit-input.ts'
import { readFileIfExists } from './file-change.ts'
import { decodeText } from './text.ts'
import { type WriteFileInput, writeFileTool } from './write-file.ts'

export interface PreviewRequest {
  /** The name of the tool. */
  readonly tool: string
  /** The tool name in the call; the arguments are in that dialect. */
  readonly spelling: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
  /** Absolute path of the folder that the session may change. */
  readonly workspace: string
  /** The editor that runs Cadre: its unsaved text counts. */
  readonly documents?: Documents | undefined
}

/** A text file before and after a call. Absent: the file does not exist. */
export interface FilePreview {
  /** Relative to the workspace. */
  readonly path: string
  readonly before?: string
  readonly after?: string
}

/**
 * Returns the change that a call of `write_file` or `edit_file` would make to each file now. Writes nothing. `undefined` if
 * it cannot be computed: another tool, invalid arguments, an edit that does not apply, a path that the tool may not write,
 * files that are not text.
 */
export async function previewChange(request: PreviewRequest): Promise<readonly FilePreview[] | undefined> {
  const rules = { places: createPathResolver() }
  const context: ToolContext = {
    session: '',
    agent: '',
    call: '',
    key: '',
    workspace: request.workspace,
  }
  const documents = documentsOfCall(request.documents, context, new AbortController().signal)
  const locate: LocateFile = (path) => confinePath({ path, context, write: rules })
  const tool = [writeFileTool(rules), editFileTool(rules)].find(({ name }) => name === request.tool)
  if (tool === undefined) return undefined
  try {
    const input = await inputOf(tool, request)
    const steps =
      tool.name === 'write_file'
        ? [await replaced(input as WriteFileInput, locate, documents)]
        : (
            await Promise.all(
              changesOf(input as EditInput).map((change) => planOf(change, locate, documents)),
            )
          ).flatMap((plan) => plan.steps)
    return steps.map(previewOf)
  } catch {
    // The tool also rejects it, with the reason, when it runs.
    return undefined
  }
}

async function inputOf(tool: Tool, { spelling, arguments: given }: PreviewRequest): Promise<unknown> {
  const result = await tool.input['~standard'].validate(normaliseInput(tool, spelling, JSON.parse(given)))
  if (result.issues !== undefined) throw new Error('the arguments are invalid')
  return result.value
}

async function replaced(
  { path, content }: WriteFileInput,
  locate: LocateFile,
  documents: DocumentsOfCall | undefined,
): Promise<Step> {
  const file = locate(path)
  const before = await readFileIfExists(file, documents)
  return { file, content, ...(before !== undefined && { before }) }
}

function previewOf({ file, content, before }: Step): FilePreview {
  return {
    path: file.shown,
    ...(before !== undefined && { before: decodeText(before.bytes, file.shown).text }),
    ...(content !== undefined && { after: content.replace(/^\ufeff/, '') }),
  }
}
