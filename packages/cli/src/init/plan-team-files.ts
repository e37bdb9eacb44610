import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import {
  exportAgents,
  type FileDialect,
  loadConfig,
  type PlacedFile,
  readTeamFiles,
  type Team,
} from '@cadre/files'

export interface PlanRequest {
  readonly team: Team
  readonly home: string
  readonly project: string
  /** Default: as the team's own files are written. */
  readonly to?: FileDialect | undefined
}

export interface Plan {
  /** Below the project. */
  readonly inProject: readonly PlacedFile[]
  /** Below the home. */
  readonly inHome: readonly PlacedFile[]
  /** What the host of another dialect will not do. */
  readonly notes: readonly string[]
  /** A configuration that is there and stays as it is. */
  readonly kept?: string
  /** A run starts with the team's own entry agent without its being named. */
  readonly starts: boolean
}

/** Which files a team becomes, and where they go. Reads and changes nothing but what it has to know. */
export async function planTeamFiles({ team, home, project, to }: PlanRequest): Promise<Plan> {
  const own = readTeamFiles(team.name, team.variant)
  const form = own.some(({ file }) => file.endsWith('.yaml')) ? 'template' : 'copilot'
  const { files, notes } = to === undefined || to === form ? asTheyAre() : rewritten(team, to)
  const base = (to ?? form) === 'template' ? home : project
  const agents = files.map((file) => withEndsOf(path.join(base, file.path), file))
  const config = path.join(home, 'config.yaml')
  const isThere = existsSync(config)
  const text = `# The agent a run starts with when none is named.\nentry: ${team.entry}\n`
  // Other settings may stand in a file that is there, and nobody asked for those to be changed.
  const starts = !isThere || (await loadConfig({ home })).config.entry === team.entry
  const settings = isThere ? [] : [{ path: 'config.yaml', text }]
  return {
    inProject: base === project ? agents : [],
    inHome: [...(base === home ? agents : []), ...settings],
    notes,
    starts,
    ...(isThere && { kept: config }),
  }

  function asTheyAre(): { files: PlacedFile[]; notes: string[] } {
    const folder = form === 'template' ? 'templates' : '.github/agents'
    const lists = team.agents.filter(({ models = [] }) => to === 'copilot' && models.length > 1)
    return {
      files: own.map(({ file, text }) => ({ path: `${folder}/${file}`, text })),
      notes: lists.map(
        ({ name, models = [] }) =>
          `${name}: Copilot CLI does not load an agent with several models; for it, write model: ${models[0]}.`,
      ),
    }
  }
}

function rewritten({ agents }: Team, to: FileDialect): { files: readonly PlacedFile[]; notes: string[] } {
  const { files, notes, faults } = exportAgents({ agents, to, names: 'host' })
  const [fault] = faults
  if (fault !== undefined) throw new CadreError('configuration', `${fault.agent}: ${fault.message}`)
  return { files, notes: notes.map(({ agent, message }) => `${agent}: ${message}`) }
}

/** Git may have changed the ends of lines of a file on its way: it is the same file all the same. */
function withEndsOf(target: string, file: PlacedFile): PlacedFile {
  const text = file.text.replaceAll('\n', '\r\n')
  try {
    return readFileSync(target, 'utf8') === text ? { ...file, text } : file
  } catch {
    return file
  }
}
