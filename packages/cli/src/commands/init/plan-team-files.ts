import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  exportAgents,
  type FileDialect,
  type PlacedFile,
  readTeamFiles,
  readTeamHome,
  type Team,
} from '@cadre/agents'
import { CadreError } from '@cadre/core'
import { headerHooks, projectHook } from '@cadre/gate'
import { loadConfig } from '@cadre/home'
import { isHookHost, noHooks, planHooks } from './plan-hooks.ts'

/** VS Code reads the dialect of Copilot, with hooks in the headers of agent files. */
export type InitTarget = FileDialect | 'vscode'

export interface PlanRequest {
  readonly team: Team
  readonly home: string
  readonly project: string
  /** Default: the dialect of the team's files. */
  readonly to?: InitTarget | undefined
}

export interface Plan {
  /** Relative to the project. */
  readonly inProject: readonly PlacedFile[]
  /** Those that extend existing content. */
  readonly edited: ReadonlySet<string>
  /** Files that also contain other hooks. */
  readonly mixed: readonly string[]
  /** Relative to the home. */
  readonly inHome: readonly PlacedFile[]
  /** What the host of another dialect does not support. */
  readonly notes: readonly string[]
  /** Existing files that stay unchanged. */
  readonly kept: readonly string[]
  /** How to start the team in the program it was written for. */
  readonly start?: { readonly program: string; readonly command: string }
  /** True if a run starts with the team's entry agent by default. */
  readonly starts: boolean
}

/** Plans which files a team becomes, and where they go. Changes nothing. */
export async function planTeamFiles({ team, home, project, to }: PlanRequest): Promise<Plan> {
  const own = readTeamFiles(team.name, team.variant)
  const form = own.some(({ file }) => file.endsWith('.yaml')) ? 'template' : 'copilot'
  const { files, notes } =
    to === undefined || to === form
      ? asTheyAre()
      : rewriteAgents(to === 'vscode' ? withHeaderHooks(team) : team, to)
  const base = (to ?? form) === 'template' ? home : project
  const agents = files.map((file) => withEndsOf(path.join(base, file.path), file))
  const host = to ?? form
  const hooks = team.hooks && isHookHost(host) ? planHooks(project, host) : noHooks
  const hookFiles = hooks.files.map((file) => withEndsOf(path.join(project, file.path), file))
  const config = path.join(home, 'config.yaml')
  const isThere = existsSync(config)
  const text = `# The agent that runs when you do not name one.\nentry: ${team.entry}\n`
  // An existing file may contain other settings, which must not change.
  const starts = !isThere || (await loadConfig({ home })).config.entry === team.entry
  const settings = isThere ? [] : [{ path: 'config.yaml', text }]
  const policy = team.effects === undefined ? undefined : path.join(home, policyPath)
  const isDecided = policy !== undefined && existsSync(policy)
  if (policy !== undefined && !isDecided) settings.push({ path: policyPath, text: policyText(team) })
  const more = readTeamHome(team.name)
  const stays = more.filter((file) => existsSync(path.join(home, file.path)))
  settings.push(...more.filter((file) => !stays.includes(file)))
  return {
    inProject: base === project ? [...agents, ...hookFiles] : [],
    edited: hooks.edited,
    mixed: [...hooks.mixed].map((file) => path.join(project, file)),
    inHome: [...(base === home ? agents : []), ...settings],
    notes: [...notes, ...hooks.notes],
    starts,
    ...(to === 'claude' && { start: { program: 'Claude Code', command: `claude --agent ${team.entry}` } }),
    ...(to === 'copilot' && { start: { program: 'Copilot CLI', command: `copilot --agent ${team.entry}` } }),
    kept: [
      ...hooks.kept.map((file) => path.join(project, file)),
      ...(isThere ? [config] : []),
      ...(isDecided ? [policy] : []),
      ...stays.map((file) => path.join(home, file.path)),
    ],
  }

  function asTheyAre(): { files: PlacedFile[]; notes: string[] } {
    const folder = form === 'template' ? 'templates' : '.github/agents'
    const lists = team.agents.filter(({ models = [] }) => to === 'copilot' && models.length > 1)
    return {
      files: own.map(({ file, text }) => ({ path: `${folder}/${file}`, text })),
      notes: lists.map(
        ({ name, models = [] }) =>
          `${name}: Copilot CLI does not load an agent with several models. To use it there, write model: ${models[0]}.`,
      ),
    }
  }
}

/** Relative to the home. */
const policyPath = path.join('storage', 'policy.yaml')

function policyText({ name, effects = {} }: Team): string {
  const lines = Object.entries(effects).map(([effect, permission]) => `  ${effect}: ${permission}\n`)
  return `# The team ${name} added these permissions. All agents in this project may do this in the session's workspace without approval. Edit them as needed.\neffects:\n${lines.join('')}`
}

function withHeaderHooks(team: Team): Team {
  if (!team.hooks) return team
  const agents = team.agents.map((agent) => {
    const hooks = headerHooks(agent.name === team.entry, (script) => projectHook(script, agent.name))
    return { ...agent, hooks }
  })
  return { ...team, agents }
}

function rewriteAgents(
  { agents }: Team,
  target: InitTarget,
): { files: readonly PlacedFile[]; notes: string[] } {
  const to = target === 'vscode' ? 'copilot' : target
  const { files, notes, faults } = exportAgents({ agents, to, names: target === 'vscode' ? 'keep' : 'host' })
  const [fault] = faults
  if (fault !== undefined) throw new CadreError('configuration', `${fault.agent}: ${fault.message}`)
  return { files, notes: notes.map(({ agent, message }) => `${agent}: ${message}`) }
}

/** Git may have converted the line endings; it still counts as the same file. */
function withEndsOf(target: string, file: PlacedFile): PlacedFile {
  const text = file.text.replaceAll('\n', '\r\n')
  try {
    return readFileSync(target, 'utf8') === text ? { ...file, text } : file
  } catch {
    return file
  }
}
