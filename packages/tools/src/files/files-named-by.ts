import { interpretToolName, normaliseInput } from '@cadre/core'
import { createPathResolver } from '@cadre/gate'
import { editFileTool } from './edit-file.ts'
import { writeFileTool } from './write-file.ts'

export interface NamedFilesRequest {
  /** The tool name in the call; the arguments are in that dialect. */
  readonly spelling: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

/** The files that a call of `write_file` or `edit_file` changes, as the model wrote them. Empty for other tools and invalid arguments. */
export async function filesNamedBy({
  spelling,
  arguments: given,
}: NamedFilesRequest): Promise<readonly string[]> {
  const meaning = interpretToolName(spelling)
  const names = meaning.kind === 'tools' ? meaning.names : []
  const rules = { places: createPathResolver() }
  const tool = [writeFileTool(rules), editFileTool(rules)].find(({ name }) => names.includes(name))
  if (tool === undefined) return []
  try {
    const result = await tool.input['~standard'].validate(normaliseInput(tool, spelling, JSON.parse(given)))
    return result.issues === undefined ? (tool.paths?.(result.value as never) ?? []) : []
  } catch {
    // The call has failed, so it has changed nothing.
    return []
  }
}
