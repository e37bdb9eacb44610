import { interpretToolName, normaliseInput } from '@cadre/core'
import { createTools } from '../create-tools.ts'

export interface NamedFilesRequest {
  /** The tool name in the call; the arguments are in that dialect. */
  readonly spelling: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

/** The files and folders that a call of a built-in tool changes, as the model wrote them. Empty for other tools and invalid arguments. */
export async function filesNamedBy({
  spelling,
  arguments: given,
}: NamedFilesRequest): Promise<readonly string[]> {
  const meaning = interpretToolName(spelling)
  const names = meaning.kind === 'tools' ? meaning.names : []
  const tool = createTools().find(({ name, effect }) => effect === 'write' && names.includes(name))
  if (tool?.paths === undefined) return []
  try {
    const result = await tool.input['~standard'].validate(normaliseInput(tool, spelling, JSON.parse(given)))
    return result.issues === undefined ? tool.paths(result.value) : []
  } catch {
    // The call has failed, so it has changed nothing.
    return []
  }
}
