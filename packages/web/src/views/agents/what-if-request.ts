import type { JsonObject } from '@cadre/core'
import { commandLine } from '../../parts/shell-word.ts'

export interface WhatIf {
  readonly agent: string
  readonly tool: string
  /** JSON, as the person typed it. */
  readonly input: string
  readonly depth: string
}

export type ReadInput =
  | { readonly kind: 'ok'; readonly input: JsonObject }
  | { readonly kind: 'fault'; readonly message: string }

/** Parses the typed arguments. Empty text means no arguments. */
export function readInput(typed: string): ReadInput {
  if (typed.trim() === '') return { kind: 'ok', input: {} }
  try {
    const value: unknown = JSON.parse(typed)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { kind: 'ok', input: value as JsonObject }
    return { kind: 'fault', message: 'The arguments must be a JSON object, such as {"command": "git push"}.' }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'fault', message: `The arguments are not valid JSON: ${why}` }
  }
}

/** The command that explains the same call. */
export function explainCommand({ agent, tool, input, depth }: WhatIf): string {
  return commandLine(
    'cadre',
    'policy',
    'explain',
    '--agent',
    agent,
    '--tool',
    tool || 'TOOL',
    ...(input.trim() === '' ? [] : ['--input', input.trim()]),
    ...(depth.trim() === '' ? [] : ['--depth', depth.trim()]),
  )
}

/** Example arguments for a tool with this effect, so that the field is not empty. */
export function exampleInput(effect: string | undefined): string {
  switch (effect) {
    case 'execute':
      return '{"command": "git push"}'
    case 'write':
      return '{"path": "src/index.ts", "content": "…"}'
    case 'outbound':
      return '{"url": "https://example.org"}'
    default:
      return '{"path": "src/index.ts"}'
  }
}
