import { readAgentText } from '../read-agent-text.ts'
import type { ReadAgent } from '../read-definition.ts'

/** Reads a file that is not there yet, as it will be read. */
export function readBack(path: string, text: string): ReadAgent {
  return readAgentText({ path, text })
}
