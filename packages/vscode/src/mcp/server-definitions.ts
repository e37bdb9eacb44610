import path from 'node:path'
import { findInPath, isInside } from '@cadre/disk'

/** How VS Code starts the MCP server of Cadre for one folder. */
export interface ServerDefinition {
  readonly label: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

export interface DefinitionRequest {
  /** The paths of the open folders. */
  readonly folders: readonly string[]
  /** False in Restricted Mode. */
  readonly isTrusted: boolean
  readonly env: NodeJS.ProcessEnv
}

/**
 * One server per open folder, if the command is installed. None in Restricted Mode. A folder must not provide the command: a repository
 * could replace it.
 */
export function serverDefinitions({ folders, isTrusted, env }: DefinitionRequest): ServerDefinition[] {
  if (!isTrusted || folders.length === 0) return []
  const isOutside = (place: string) => !folders.some((folder) => isInside(folder, place))
  const command = findInPath(process.platform === 'win32' ? 'cadre.cmd' : 'cadre', env['PATH'], isOutside)
  if (command === undefined) return []
  return folders.map((folder) => ({
    label: folders.length === 1 ? 'Cadre' : `Cadre (${path.basename(folder)})`,
    command,
    args: ['mcp', '--workspace', folder],
    cwd: folder,
  }))
}
