import type { Reviewer } from '../ports/gate.ts'
import type { Json } from '../ports/json.ts'
import { explainIssues } from '../ports/schema.ts'
import { checkSchema } from './check-schema.ts'

/** Returns a report for correction if it is not JSON that matches the session's output schema. */
export const requireOutput: Reviewer = ({ report }, { outputSchema }) => {
  if (outputSchema === undefined) return { kind: 'accept' }
  const read = readOutput(report.text)
  if (read === undefined)
    return returnReport('The reply is not JSON. Reply with one JSON value and no other text.')
  const issues = checkSchema(outputSchema, read.value)
  if (issues.length === 0) return { kind: 'accept', output: read.value }
  const more = issues.length > 3 ? ` (and ${issues.length - 3} more)` : ''
  return returnReport(
    `The JSON does not validate: ${explainIssues(issues)}${more}. Reply with the complete, corrected JSON and no other text.`,
  )
}

const returnReport = (reason: string) => ({ kind: 'return', by: 'schema', reason }) as const

/** The whole text as JSON or, because models often add a code fence, the only fenced block in it. */
function readOutput(text: string): { readonly value: Json } | undefined {
  const whole = parseOutput(text)
  if (whole !== undefined) return whole
  const blocks = fencedBlocks(text)
  return blocks.length === 1 ? parseOutput(blocks[0] as string) : undefined
}

/** Line by line, so that a text with many fences takes no longer than another. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = []
  let open: string[] | undefined
  for (const line of text.split('\n')) {
    const fence = /^[ \t]*```([\w+-]*)[ \t]*\r?$/.exec(line)
    if (open === undefined) {
      if (fence !== null) open = []
    } else if (fence?.[1] === '') {
      if (open.length > 0) blocks.push(open.join('\n'))
      open = undefined
    } else open.push(line)
  }
  return blocks
}

function parseOutput(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}

/** The section of the system prompt about the output schema. */
export function outputSection(schema: object): string {
  return [
    '## Output format',
    '',
    'Your final reply must be one JSON value that validates against this JSON Schema, without any other text and without a code fence:',
    '',
    JSON.stringify(schema),
  ].join('\n')
}
