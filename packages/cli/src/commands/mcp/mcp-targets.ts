import path from 'node:path'
import type { JsonObject } from '@cadre/core'
import { findInPath } from '@cadre/disk'
import { projectOf, userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'

/** The programs that `cadre mcp install` can set up. */
const mcpTargets = ['vscode', 'copilot', 'claude'] as const

export type McpTargetName = (typeof mcpTargets)[number]
export type McpScope = 'user' | 'project'

export interface McpTarget {
  /** The name for people. */
  readonly title: string
  readonly file: string
  /** The section of the file with the servers. */
  readonly section: string
  readonly entry: JsonObject
  /** What the person does next. */
  readonly next: string
}

export interface TargetRequest {
  readonly to: McpTargetName
  readonly scope: McpScope
  readonly readOnly?: boolean | undefined
}

/** Each program's own default: the place where its users usually have servers. */
export const defaultScopes: Readonly<Record<McpTargetName, McpScope>> = {
  vscode: 'project',
  copilot: 'user',
  claude: 'project',
}

/** Where a program has its servers, and the entry for Cadre in its format. */
export function targetOf(io: Io, { to, scope, readOnly = false }: TargetRequest): McpTarget {
  const { home } = userPaths(io.env)
  const project = projectOf(io.cwd)
  const { command, first } = commandFor(io, scope)
  const more = readOnly ? ['--read-only'] : []
  switch (to) {
    case 'vscode':
      return {
        title: 'VS Code',
        file:
          scope === 'user'
            ? path.join(vsCodeFolder(io, home), 'mcp.json')
            : path.join(project, '.vscode', 'mcp.json'),
        section: 'servers',
        entry: {
          type: 'stdio',
          command,
          // VS Code replaces the variable. Without it, a server in the user's profile would not know the folder.
          args: [...first, 'mcp', '--workspace', `\${workspaceFolder}`, ...more],
        },
        next: 'In VS Code, run "MCP: List Servers" and start cadre.',
      }
    case 'copilot':
      return {
        title: 'Copilot CLI',
        file:
          scope === 'user'
            ? path.join(io.env['COPILOT_HOME'] || path.join(home, '.copilot'), 'mcp-config.json')
            : path.join(project, '.github', 'mcp.json'),
        section: 'mcpServers',
        entry: { type: 'local', command, args: [...first, 'mcp', ...more], tools: ['*'] },
        next: 'Restart copilot. "/mcp" lists its servers.',
      }
    case 'claude':
      return {
        title: 'Claude Code',
        file:
          scope === 'user'
            ? path.join(io.env['CLAUDE_CONFIG_DIR'] || home, '.claude.json')
            : path.join(project, '.mcp.json'),
        section: 'mcpServers',
        entry: { type: 'stdio', command, args: [...first, 'mcp', ...more] },
        next: 'Restart claude and approve the server. "/mcp" lists its servers.',
      }
  }
}

/**
 * A project file is shared, so it names the command `cadre` if it is installed. A user file names this installation's path: a program that
 * was not started from a terminal often has a different PATH.
 */
function commandFor(
  io: Io,
  scope: McpScope,
): { readonly command: string; readonly first: readonly string[] } {
  const isFound = findInPath('cadre', io.env['PATH']) !== undefined
  if (scope === 'project' && isFound) return { command: 'cadre', first: [] }
  return { command: process.execPath, first: [path.resolve(process.argv[1] as string)] }
}

function vsCodeFolder(io: Io, home: string): string {
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Code', 'User')
  if (process.platform === 'win32')
    return path.join(io.env['APPDATA'] || path.join(home, 'AppData', 'Roaming'), 'Code', 'User')
  return path.join(io.env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'Code', 'User')
}
