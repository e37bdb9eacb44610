import { createAgents, type LintKnowledge } from '@cadre/agents'
import { type AgentDefinition, interpretToolName, knownTools } from '@cadre/core'
import * as vscode from 'vscode'
import type { Services } from '../../services.ts'
import { agentPlaces, readablePlaces } from './agent-places.ts'
import { contributedAgents } from './contributed-agents.ts'
import { aboutTool, dialectTools } from './dialect-tools.ts'
import { editorToolsIn } from './editor-tools-in.ts'
import type { HeaderDialect } from './header-keys.ts'
import type { Names } from './suggest.ts'

export type AgentSources = Pick<Services, 'settings' | 'homes'>

/**
 * Returns every agent that a file may name: of the folder, its settings, the user, and the extension. Reads nothing from an
 * untrusted workspace or home.
 */
export async function knownAgents(
  { settings, homes }: AgentSources,
  file: vscode.Uri,
): Promise<readonly AgentDefinition[]> {
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath
  const { isTrusted } = vscode.workspace
  const trusted = isTrusted ? (await homes.list()).trusted.map(({ home }) => home.path) : []
  const agents = createAgents({
    ...readablePlaces(agentPlaces(file.fsPath, folder), { isTrusted, homes: trusted }),
    ...(isTrusted && { settings: settings.of(file) }),
  }).list()
  const taken = new Set(agents.map(({ name }) => name.toLowerCase()))
  return [...agents, ...contributedAgents().filter(({ name }) => !taken.has(name.toLowerCase()))]
}

/** What lint knows besides the files in a project. VS Code provides the list of models. */
export async function lintKnowledge(services: AgentSources, file: vscode.Uri): Promise<LintKnowledge> {
  const own = knownTools().filter((name) => interpretToolName(name).kind === 'tools')
  const ofEditor = vscode.lm.tools.map(({ name }) => name)
  const agents = await knownAgents(services, file)
  const elsewhere = agents.filter(({ source }) => !isProjectFile(source?.path))
  return { tools: [...own, ...ofEditor, ...editorTools()], agents: elsewhere }
}

/** Agents in a project are in the checked files. */
function isProjectFile(file: string | undefined): boolean {
  return file !== undefined && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file)) !== undefined
}

export async function namesFor(
  services: AgentSources,
  file: vscode.Uri,
  dialect: HeaderDialect,
): Promise<Names> {
  const ofEditor = dialect === 'copilot' ? editorTools() : []
  return {
    agents: await knownAgents(services, file),
    tools: [...dialectTools(dialect), ...ofEditor.map((name) => ({ name, about: aboutTool(name) }))],
    models: dialect === 'copilot' ? await editorModels() : [],
  }
}

function editorTools(): string[] {
  const extensions = vscode.extensions.all.map(({ id, packageJSON }) => {
    const tools: unknown = packageJSON?.contributes?.languageModelTools
    return { id, tools: Array.isArray(tools) ? tools : [] }
  })
  return editorToolsIn(extensions, new Set(vscode.lm.tools.map(({ name }) => name)))
}

/** In the form of agent files: `Name (vendor)`. */
async function editorModels(): Promise<string[]> {
  const models = await vscode.lm.selectChatModels()
  return [...new Set(models.map(({ name, vendor }) => `${name} (${vendor})`))]
}
