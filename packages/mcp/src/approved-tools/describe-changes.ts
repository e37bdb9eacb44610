import { plainText } from '@cadre/core'
import { describeTool, plainSchema } from '../tools/create-server-tool.ts'
import { compareWithApproved } from './approved-tool-store.ts'
import type { ServerToolDefinition } from './fingerprint-tool.ts'

/** How a server's tool differs from its approved definition. Shows the texts that models would get. */
export interface ToolChange {
  readonly name: string
  readonly kind: 'new' | 'changed' | 'removed'
  /** The lines before and after. Empty for a removed tool. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export function describeChanges(
  server: string,
  approved: readonly ServerToolDefinition[],
  listed: readonly ServerToolDefinition[],
): readonly ToolChange[] {
  const { pending, gone } = compareWithApproved(approved, listed)
  const known = new Map(approved.map((tool) => [tool.name, tool]))
  return [
    ...pending.map((tool): ToolChange => {
      const before = known.get(tool.name)
      return {
        name: plainText(tool.name, 128),
        kind: before === undefined ? 'new' : 'changed',
        before: before === undefined ? [] : linesOf(before, server),
        after: linesOf(tool, server),
      }
    }),
    ...gone.map(
      (name): ToolChange => ({ name: plainText(name, 128), kind: 'removed', before: [], after: [] }),
    ),
  ]
}

function linesOf(tool: ServerToolDefinition, server: string): string[] {
  const { title, annotations, inputSchema, outputSchema } = tool
  const json = (label: string, value: unknown) => [
    `${label}:`,
    ...JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => `  ${plainText(line, Number.POSITIVE_INFINITY)}`),
  ]
  return [
    ...(title === undefined ? [] : [`title: ${plainText(title, 200)}`]),
    ...describeTool(tool, server)
      .split('\n')
      .map((line) => `description: ${line}`),
    ...json('input', plainSchema(inputSchema)),
    ...(outputSchema === undefined ? [] : json('output', outputSchema)),
    ...(annotations === undefined ? [] : json('annotations', annotations)),
  ]
}
