import type { ToolClass } from './agent.ts'

/** What a name in a tool list means, whatever dialect it comes from. */
export type ToolMeaning =
  | { readonly kind: 'all' }
  | { readonly kind: 'class'; readonly class: ToolClass }
  /** Tools of ours, by their own names; they need not be there in this process. */
  | { readonly kind: 'tools'; readonly names: readonly string[] }
  /** A tool of an MCP server or of an editor's extension; all of its tools when `tool` is absent. */
  | { readonly kind: 'server'; readonly server: string; readonly tool?: string }
  /** Known to the host it was written for; nothing here does it. */
  | { readonly kind: 'elsewhere'; readonly host: string }
  | { readonly kind: 'unknown' }

/** Our own tools by name: their class, and what the dialects call them. The one table of names. */
const spellings: {
  readonly [tool: string]: { readonly class: ToolClass; readonly names: readonly string[] }
} = {}

/** Understands a name as the dialects write it. Never throws; what nobody knows is `unknown` and permits nothing. */
export function understandTool(name: string): ToolMeaning {
  return name.trim() === '*' ? { kind: 'all' } : { kind: 'unknown' }
}

/** Every other name of one of our tools: what its `aliases` are. */
export function spellingsOf(tool: string): readonly string[] {
  return spellings[tool]?.names ?? []
}
