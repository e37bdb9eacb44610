import { understandTool } from '@cadre/core'

/** A tool as VS Code lists it, with what the manifest of its extension says. */
export interface ListedTool {
  readonly name: string
  /** `publisher.name` of the extension that brings it; absent for tools of MCP servers and of VS Code itself. */
  readonly extension?: string | undefined
  /** What people and agent files call it. */
  readonly referenceName?: string | undefined
}

/** How a tool of VS Code is offered to agents. */
export interface PlannedTool {
  /** Its name in VS Code. */
  readonly listed: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly reads: boolean
}

const own = /^copilotMultiAgent_/i

/** Tools of Copilot that only look, and that have no counterpart among ours. */
const reading = new Set(
  [
    'copilot_findTestFiles',
    'copilot_getChangedFiles',
    'copilot_getDocInfo',
    'copilot_getNotebookSummary',
    'copilot_getSearchResults',
    'copilot_getVSCodeAPI',
    'copilot_listCodeUsages',
    'copilot_readNotebookCellOutput',
    'copilot_readProjectStructure',
    'copilot_searchWorkspaceSymbols',
    'copilot_testFailure',
  ].map((name) => name.toLowerCase()),
)

/**
 * Which tools of VS Code agents are offered, and under which names. Ours do the job of those they know by name, under one gate; the
 * tools of this extension are for other agents. Names that the engine does not take are changed, and are unique.
 */
export function planTools(listed: readonly ListedTool[]): PlannedTool[] {
  const planned: PlannedTool[] = []
  const taken = new Set<string>()
  for (const tool of listed) {
    if (own.test(tool.name) || isOurs(tool.name)) continue
    const name = uniqueName(tool.name, taken)
    taken.add(name.toLowerCase())
    const aliases = aliasesOf(tool).filter((alias) => alias !== name)
    planned.push({ listed: tool.name, name, aliases, reads: reading.has(tool.name.toLowerCase()) })
  }
  return planned
}

function isOurs(name: string): boolean {
  const { kind } = understandTool(name)
  // A tool that is called like a class would be given to whoever may use that class.
  return kind === 'tools' || kind === 'class' || kind === 'all'
}

/** The spellings of agent files. One that stands for tools of ours is left to them. */
function aliasesOf({ name, extension, referenceName }: ListedTool): string[] {
  const names = [name, ...(referenceName === undefined ? [] : [referenceName])]
  const ofExtension = extension === undefined ? [] : names.map((one) => `${extension}/${one}`)
  return [...new Set([...names, ...ofExtension])].filter((one) => one !== '' && !isOurs(one))
}

const longest = 64

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  const clean = wanted.replace(/[^A-Za-z0-9_-]/g, '_')
  const base = (/^[A-Za-z]/.test(clean) ? clean : `tool_${clean}`).slice(0, longest)
  let name = base
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base.slice(0, longest - 4)}_${n}`
  return name
}
