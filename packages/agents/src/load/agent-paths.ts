import path from 'node:path'
import { type Dialect, findDialect } from './dialects.ts'

export interface AgentPaths {
  /** The home; agents in its `templates` are read. */
  readonly home?: string
  /** The project; agents of every dialect in it are read. */
  readonly project?: string
  /** The user's home directory; agents of every dialect in it are read. */
  readonly userHome?: string
  /** The settings as the editor sees them, used instead of `.vscode/settings.json`. */
  readonly settings?: EditorSettings | undefined
}

export interface EditorSettings {
  /** Their name in messages. */
  readonly path: string
  /** `{"copilotMultiAgent.agents": [...]}`, as JSON. */
  readonly text: string
  /** The built-in team for runs if neither these settings nor any file or configuration defines agents. */
  readonly team?: string | undefined
  /** The entry agent if these settings define none; ignored if there is no such agent. */
  readonly entry?: string | undefined
}

/** A folder with agents, including its subfolders; or a file with agents. */
export interface AgentFolder {
  readonly at: string
  readonly dialect: Dialect
  /** The file names to read. */
  readonly files: RegExp
  /** A definition at a higher level takes precedence over the same name at a lower one. */
  readonly level: number
  /** The folder that links must not lead outside of: files in a repository must not reach the rest of the disk. */
  readonly within?: string
  /** It is in the user's home directory, so it applies to every project. */
  readonly isOfUser?: boolean
}

/** Prompts, instructions and skills look similar, but are not agents. */
const markdown = /^(?!skill\.md$)(?!.*\.(?:prompt|instructions)\.md$).*\.md$/i
const yaml = /\.ya?ml$/i

type Row = readonly [folder: string, dialect: string, files: RegExp]

/** From the lowest level to the highest. Places in one row have the same level. */
const userPaths: readonly (readonly Row[])[] = [
  [
    ['.config/opencode/agent', 'opencode', markdown],
    ['.config/opencode/agents', 'opencode', markdown],
  ],
  [['.claude/agents', 'claude', markdown]],
  [['.copilot/agents', 'copilot', markdown]],
]
const projectPlaces: readonly (readonly Row[])[] = [
  [
    ['.opencode/agent', 'opencode', markdown],
    ['.opencode/agents', 'opencode', markdown],
  ],
  [['.claude/agents', 'claude', markdown]],
  [['.github/chatmodes', 'chatmode', /\.chatmode\.md$/i]],
  [['.github/agents', 'copilot', markdown]],
]
const homePlaces: readonly (readonly Row[])[] = [[['templates', 'template', yaml]]]
/** The user settings of VS Code, by operating system. */
const userSettingsPlaces: readonly (readonly Row[])[] = [
  [[`${userSettingsFolder()}/settings.json`, 'settings', /(?:)/]],
]
const settingsPlaces: readonly (readonly Row[])[] = [[['.vscode/settings.json', 'settings', /(?:)/]]]

function userSettingsFolder(): string {
  if (process.platform === 'darwin') return 'Library/Application Support/Code/User'
  return process.platform === 'win32' ? 'AppData/Roaming/Code/User' : '.config/Code/User'
}

/** Returns the places to search for agents. Built-in agents are below all of these. */
export function listAgentFolders({ home, project, userHome, settings }: AgentPaths): AgentFolder[] {
  const parts: readonly (readonly [string | undefined, readonly (readonly Row[])[]])[] = [
    [userHome, userPaths],
    [settings === undefined ? userHome : undefined, userSettingsPlaces],
    [project, projectPlaces],
    [home, homePlaces],
    [settings === undefined ? project : undefined, settingsPlaces],
  ]
  return parts
    .flatMap(([root, rows]) => rows.map((row) => ({ root, row })))
    .flatMap(({ root, row }, level) =>
      root === undefined
        ? []
        : row.map(([folder, dialect, files]) => ({
            at: path.join(root, folder),
            dialect: findDialect(dialect),
            files,
            level,
            // Everything in the user's home directory is theirs, including links.
            ...(root === userHome ? { isOfUser: true } : { within: root }),
          })),
    )
}
