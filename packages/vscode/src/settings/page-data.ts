import { createHash } from 'node:crypto'
import type { AgentDefinition, Tool } from '@cadre/core'
import type { Level, LevelState, PageState, Template } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import type { Services } from '../services.ts'
import { availableTools } from './available-tools.ts'
import { configurationOf, repairedProblems } from './configuration.ts'
import { fileStates, findAgents } from './found-agents.ts'
import { defaultTeam, definesAgents, effectiveLevel, type LevelSettings } from './levels.ts'
import { toolGroups } from './tool-choices.ts'
import { importTeam } from './transfer.ts'

/** The page's content, and the data for answering its requests. */
export interface PageData {
  readonly state: PageState
  readonly tools: readonly Tool[]
  /** Agents that are not defined in settings. */
  readonly others: readonly AgentDefinition[]
  /** The files that the page may open. */
  readonly files: ReadonlySet<string>
}

/** Changes when the settings of a level change. */
export function settingsHash({ values }: LevelSettings): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16)
}

export function labelOf(level: Level): string {
  const { name = 'Workspace', workspaceFolders, workspaceFile } = vscode.workspace
  if (level === 'user') return 'User: every workspace'
  if (level === 'workspace')
    return `Workspace: ${workspaceFile ? name : (workspaceFolders?.[0]?.name ?? name)}`
  return `Folder: ${currentFolder()?.name ?? ''}`
}

export async function loadPageData(services: Services): Promise<PageData> {
  const { settings } = services
  const folder = currentFolder()?.uri
  const [{ listTeams, settingsLimits }, { builtIn, editor, all }, found, checked, models] = await Promise.all(
    [
      import('@cadre/agents'),
      availableTools(services),
      findAgents(services),
      settings.check(folder),
      vscode.lm.selectChatModels(),
    ],
  )
  const levels = settings.levels(folder)
  const used = effectiveLevel(levels)
  const team = await importTeam(defaultTeam)
  const isBuiltIn = ({ source }: AgentDefinition) => source?.dialect === 'built-in'
  const levelStates = await Promise.all(
    levels.map(async (level): Promise<LevelState> => {
      const configuration = await configurationOf(level)
      return {
        level: level.level,
        label: labelOf(level.level),
        ...(configuration !== undefined && { configuration }),
        stamp: settingsHash(level),
        isOld: checked.old.includes(level.level) && definesAgents(level),
        problems: await repairedProblems(level),
      }
    }),
  )
  return {
    tools: all,
    others: found.agents.filter((agent) => agent.source?.dialect !== 'settings' && !isBuiltIn(agent)),
    files: new Set(found.files.map(({ path }) => path)),
    state: {
      levels: levelStates,
      ...(used !== undefined && { used: used.level }),
      ...(found.entry !== undefined && { entry: found.entry }),
      tools: toolGroups(builtIn, editor),
      models: [...new Set(models.map(({ id }) => id))],
      files: await fileStates(found.files),
      builtIn: {
        agents: team.agents,
        entry: team.entry ?? '',
        isUsed: found.agents.length > 0 && found.agents.every(isBuiltIn),
      },
      templates: listTeams().flatMap(({ name, description, variants }): Template[] =>
        variants.map((variant, index) => ({
          id: index === 0 ? name : `${name}/${variant.name}`,
          label: index === 0 ? name : `${name} (${variant.name})`,
          description: index === 0 ? description : variant.description,
        })),
      ),
      limits: {
        agents: settingsLimits.agents,
        name: settingsLimits.name,
        prompt: settingsLimits.prompt,
        text: settingsLimits.longText,
      },
      isTrusted: vscode.workspace.isTrusted,
    },
  }
}
