import type { AgentDefinition } from '@cadre/core'
import { codeSpan, escapeMarkdown } from '../markdown.ts'
import type { SettingsProblem } from './check-settings.ts'
import type { MissingTool } from './tool-choices.ts'

export interface StatusReport {
  readonly agents: readonly AgentDefinition[]
  readonly entry?: string
  readonly models: readonly string[]
  readonly builtInTools: number
  readonly editorTools: number
  readonly missing: readonly MissingTool[]
  /** The folder of the home; absent when there is none. */
  readonly home?: string
  readonly folder?: string
  readonly isTrusted: boolean
  readonly problems: readonly SettingsProblem[]
  readonly notices: readonly string[]
  /** Sessions that have not ended. */
  readonly running: readonly { readonly id: string; readonly agent: string; readonly status: string }[]
}

/** The status as Markdown. Names and messages come from files, so they are escaped. */
export function statusText(status: StatusReport): string {
  const { agents, entry, models, missing, problems, notices, running } = status
  const sections = [
    ['# Agents: status'],
    [
      '## This workspace',
      '',
      `- Folder: ${status.folder === undefined ? 'none is open' : codeSpan(status.folder)}`,
      `- Trust: ${status.isTrusted ? 'this workspace is trusted' : "Restricted Mode. The workspace's agents, hooks and settings are not used"}`,
      `- Home: ${status.home === undefined ? 'none yet. It is created when an agent first works here' : codeSpan(status.home)}`,
      `- Models: ${models.length === 0 ? 'none. Sign in to GitHub Copilot, or add a model' : models.map((name) => codeSpan(name)).join(', ')}`,
      `- Tools: ${status.builtInTools} built in, ${status.editorTools} from VS Code and its extensions`,
    ],
    [
      '## Agents',
      '',
      ...(agents.length === 0 ? ['None.'] : agents.map((agent) => agentLine(agent, agent.name === entry))),
    ],
    list('## Problems', [
      ...problems.map(
        ({ level, severity, message }) => `${severity} in the ${level} settings: ${escapeMarkdown(message)}`,
      ),
      ...missing.map(
        ({ agent, tool }) =>
          `warning: ${codeSpan(agent)} names the tool ${codeSpan(tool)}, which is not available`,
      ),
      ...notices.map((notice) => escapeMarkdown(notice)),
    ]),
    list(
      '## Running sessions',
      running.map(
        ({ id, agent, status: state }) =>
          `${codeSpan(id)}: ${escapeMarkdown(agent)}, ${escapeMarkdown(state)}`,
      ),
    ),
  ]
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function list(title: string, items: readonly string[]): string[] {
  return [title, '', ...(items.length === 0 ? ['None.'] : items.map((item) => `- ${item}`))]
}

function agentLine(
  { name, description, tools, delegates, source }: AgentDefinition,
  isEntry: boolean,
): string {
  const used =
    tools.kind === 'all'
      ? 'all tools'
      : tools.names.length === 0
        ? 'no tools'
        : tools.names.map((tool) => codeSpan(tool)).join(', ')
  const mark = isEntry ? ' (entry agent: answers `@agents`)' : ''
  const from = source === undefined ? '' : ` From ${codeSpan(source.path)}.`
  const what = escapeMarkdown(description.trim().replace(/\.$/, '')) || 'no description'
  return `- ${codeSpan(name)}${mark}: ${what}. Delegates to ${targetsOf(delegates)}; ${used}.${from}`
}

function targetsOf(delegates: AgentDefinition['delegates']): string {
  if (delegates === undefined) return 'any agent, but only as the entry agent'
  if (delegates.kind === 'all') return 'any agent'
  if (delegates.kind === 'none' || delegates.names.length === 0) return 'nobody'
  return delegates.names.map((target) => codeSpan(target)).join(', ')
}
