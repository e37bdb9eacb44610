import { type Effect, interpretToolName } from '@cadre/core'

/** A tool in VS Code's list, with data from the manifest of its extension. */
export interface ListedTool {
  readonly name: string
  /** `publisher.name` of its extension; absent for tools of MCP servers and of VS Code itself. */
  readonly extension?: string | undefined
  /** Its name for people and agent files. */
  readonly referenceName?: string | undefined
}

/** How a tool of VS Code is offered to agents. */
export interface PlannedTool {
  /** Its name in VS Code. */
  readonly listed: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly effect: Extract<Effect, 'read' | 'execute' | 'outbound'>
}

const ownTools = /^copilotMultiAgent_/i

/** Parts of VS Code's own chat: they ask its user, or end its own loop. */
const internalTools =
  /^(?:vscode_get_\w*confirmation\w*|vscode_reviewPlan|inline_chat_\w+|setup_\w+|task_complete)$/i

/** Read-only tools of VS Code and Copilot without an equivalent in Cadre. */
const readOnlyTools =
  /^(?:copilot_(?:findTestFiles|getChangedFiles|getDocInfo|getNotebookSummary|getSearchResults|getVSCodeAPI|listCodeUsages|readNotebookCellOutput|readProjectStructure|searchWorkspaceSymbols|testFailure)|vscode_listCodeUsages|testFailure)$/i

/** Tools that run programs outside any sandbox. */
const executingTools =
  /^(?:send_to_terminal|kill_terminal|run_task|create_and_run_task|runTests|copilot_(?:runTests|runTask|createAndRunTask|runNotebookCell|runVscodeCommand|installExtension))$/i

/**
 * Plans which tools of VS Code agents get, and under which names. Cadre's own tools replace those with known names, under
 * the same gate; the tools of this extension are for other agents, and some are parts of VS Code's own chat. Names that the
 * engine does not accept are changed, and are unique.
 */
export function planTools(listed: readonly ListedTool[]): PlannedTool[] {
  const planned: PlannedTool[] = []
  const taken = new Set<string>()
  for (const tool of listed) {
    if (ownTools.test(tool.name) || internalTools.test(tool.name) || isOwnTool(tool.name)) continue
    const name = uniqueName(tool.name, taken)
    // `read.file` matches a Cadre tool only after renaming.
    if (isOwnTool(name)) continue
    taken.add(name.toLowerCase())
    const aliases = aliasesOf(tool).filter((alias) => alias !== name)
    planned.push({ listed: tool.name, name, aliases, effect: effectOf(tool.name) })
  }
  return planned
}

/** The effect of a tool of an extension or server is unknown. */
function effectOf(name: string): PlannedTool['effect'] {
  if (readOnlyTools.test(name)) return 'read'
  return executingTools.test(name) ? 'execute' : 'outbound'
}

function isOwnTool(name: string): boolean {
  const { kind } = interpretToolName(name)
  // A tool named like a class would be granted to every agent with that class.
  return kind === 'tools' || kind === 'class' || kind === 'all'
}

/** The spellings of agent files. A spelling that means a Cadre tool stays with that tool. */
function aliasesOf({ name, extension, referenceName }: ListedTool): string[] {
  const names = [name, ...(referenceName === undefined ? [] : [referenceName])]
  const ofExtension = extension === undefined ? [] : names.map((one) => `${extension}/${one}`)
  return [...new Set([...names, ...ofExtension])].filter((one) => one !== '' && !isOwnTool(one))
}

const maxLength = 64

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  const clean = wanted.replace(/[^A-Za-z0-9_-]/g, '_')
  const base = (/^[A-Za-z]/.test(clean) ? clean : `tool_${clean}`).slice(0, maxLength)
  let name = base
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base.slice(0, maxLength - 4)}_${n}`
  return name
}
