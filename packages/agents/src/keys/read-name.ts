import { agentNameFromPath, faultInName } from '../load/agent-name.ts'
import type { HeaderReader } from './header-reader.ts'

/** Returns the name in the header, or the file name if there is no valid one. */
export function readName(header: HeaderReader, line: number): string | undefined {
  const field = header.take('name')
  const written = field === undefined || field.value === null ? undefined : String(field.value).trim()
  const fallback = agentNameFromPath(header.path)
  if (written !== undefined) {
    const fault = typeof field?.value === 'object' ? 'must be text' : faultInName(written)
    if (fault === undefined) return written
    header.report(
      'warning',
      'name-unusable',
      field?.line ?? line,
      `The name ${JSON.stringify(written.slice(0, 80))} ${fault}. Cadre uses the file name: ${fallback}.`,
      'Write a name on one line.',
    )
  }
  const fault = faultInName(fallback)
  if (fault === undefined) return fallback
  header.report(
    'error',
    'name-unusable',
    line,
    `The agent has no usable name: the file name ${fault}.`,
    'Rename the file, or add name: to its header.',
  )
  return undefined
}
