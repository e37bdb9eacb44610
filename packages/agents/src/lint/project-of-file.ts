import path from 'node:path'
import { isInside, isRepository, repositoryOf } from '@cadre/disk'
import { type AgentFolder, listAgentFolders } from '../load/agent-paths.ts'
import { createPlugins } from './plugins.ts'

/** Where an agent is loaded from: files of one place are loaded together, and only one per name is used. */
export interface AgentOrigin {
  /** References between agents are resolved within one project. */
  readonly project: string
  /** The absolute path of the folder whose files are loaded together. */
  readonly place: string
  /** The precedence of the place in its project; absent if nothing loads the file automatically. */
  readonly level?: number
  /** The plugin that provides the file as an agent. */
  readonly plugin?: string
}

/** Where the loader looks for agents in a project, from lowest to highest precedence. */
export function agentLocations(project: string): readonly AgentFolder[] {
  return listAgentFolders({ project, home: path.join(project, '.cadre') })
}

const levels = agentLocations('').map(({ at, dialect, level }) => {
  const place = at.split(path.sep).join('/').replaceAll('.', '\\.')
  return { level, pattern: new RegExp(`^(.*)/${place}${dialect.format === 'settings' ? '$' : '/'}`, 'is') }
})

/** Returns the project of each file below `top`. Caches lookups. */
export function createProjectLookup(top: string): (file: string) => AgentOrigin {
  const repositories = new Map<string, string | undefined>()
  const pluginOf = createPlugins()

  return (file) => {
    const written = file.split(path.sep).join('/')
    for (const { level, pattern } of levels) {
      const match = pattern.exec(written)
      if (match !== null) return { project: match[1] || '/', place: match[0], level }
    }
    const hidden = /^(.*)\/\.(?:github|claude|opencode|copilot|cadre)\//is.exec(written)
    if (hidden !== null) return { project: hidden[1] || '/', place: path.dirname(file) }
    const repository = repositoryBelow(path.dirname(file))
    const inside = isInside(top, file) ? path.relative(top, file).split(path.sep).join('/') : written
    const plain = /^(.*?)(?:^|\/)agents\//is.exec(inside)
    const place = plain === null ? path.dirname(file) : path.resolve(top, plain[0])
    const plugin = pluginOf(file)
    return {
      project: repository ?? (plain === null ? top : path.dirname(place)),
      place,
      ...(plugin !== undefined && { plugin }),
    }
  }

  /** Returns the nearest git repository, not above `top`: a folder of many projects may itself be a repository. */
  function repositoryBelow(folder: string): string | undefined {
    if (!isInside(top, folder)) return undefined
    if (repositories.has(folder)) return repositories.get(folder)
    const found = isRepository(folder)
      ? folder
      : folder === top
        ? undefined
        : repositoryBelow(path.dirname(folder))
    repositories.set(folder, found)
    return found
  }
}

/** Returns the folder to check a single file from: its repository, or the parent of its folder. */
export function lintRootOf(file: string): string {
  const folder = path.dirname(file)
  return repositoryOf(folder) ?? path.dirname(folder)
}
