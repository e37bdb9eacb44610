import path from 'node:path'
import { type Dialect, dialectNamed } from './dialects.ts'

export interface AgentPlaces {
  /** The home folder; its `templates` are read. */
  readonly home?: string
  /** The project; what it has for every dialect is read. */
  readonly project?: string
  /** The user's own folder; what it has for every dialect is read. */
  readonly userHome?: string
  /** The settings of an editor as the editor sees them. They are used instead of `.vscode/settings.json`. */
  readonly settings?: EditorSettings | undefined
}

export interface EditorSettings {
  /** What messages call them. */
  readonly path: string
  /** `{"copilotMultiAgent.agents": [...]}`, as JSON. */
  readonly text: string
  /** The built-in team of runs for which neither these settings nor any file or configuration define agents. */
  readonly team?: string | undefined
  /** The agent that starts where these settings define none; ignored when there is no such agent. */
  readonly entry?: string | undefined
}

/** A folder that holds agents, with all below it; or a file that does. */
export interface Place {
  readonly at: string
  readonly dialect: Dialect
  /** The names of files in it that are looked at. */
  readonly files: RegExp
  /** What is defined in a higher level is used instead of the same name in a lower one. */
  readonly level: number
  /** The folder that links must not lead out of: what comes with a repository says nothing about the rest of the disk. */
  readonly within?: string
  /** It is in the folder of the user, so that it applies to every project. */
  readonly isOfUser?: boolean
}

/** Prompts, instructions and skills are written alike, and are none. */
const markdown = /^(?!skill\.md$)(?!.*\.(?:prompt|instructions)\.md$).*\.md$/i
const yaml = /\.ya?ml$/i

type Row = readonly [folder: string, dialect: string, files: RegExp]

/** From the lowest level to the highest. Places in one row are of one level. */
const ofUser: readonly (readonly Row[])[] = [
  [
    ['.config/opencode/agent', 'opencode', markdown],
    ['.config/opencode/agents', 'opencode', markdown],
  ],
  [['.claude/agents', 'claude', markdown]],
  [['.copilot/agents', 'copilot', markdown]],
]
const ofProject: readonly (readonly Row[])[] = [
  [
    ['.opencode/agent', 'opencode', markdown],
    ['.opencode/agents', 'opencode', markdown],
  ],
  [['.claude/agents', 'claude', markdown]],
  [['.github/chatmodes', 'chatmode', /\.chatmode\.md$/i]],
  [['.github/agents', 'copilot', markdown]],
]
const ofHome: readonly (readonly Row[])[] = [[['templates', 'template', yaml]]]
/** The settings of VS Code for this user, where the system keeps them. */
const ofUserSettings: readonly (readonly Row[])[] = [
  [[`${userSettingsFolder()}/settings.json`, 'settings', /(?:)/]],
]
const ofSettings: readonly (readonly Row[])[] = [[['.vscode/settings.json', 'settings', /(?:)/]]]

function userSettingsFolder(): string {
  if (process.platform === 'darwin') return 'Library/Application Support/Code/User'
  return process.platform === 'win32' ? 'AppData/Roaming/Code/User' : '.config/Code/User'
}

/** Where agents are looked for. Built-in ones are below all of these. */
export function placesOf({ home, project, userHome, settings }: AgentPlaces): Place[] {
  const parts: readonly (readonly [string | undefined, readonly (readonly Row[])[]])[] = [
    [userHome, ofUser],
    [settings === undefined ? userHome : undefined, ofUserSettings],
    [project, ofProject],
    [home, ofHome],
    [settings === undefined ? project : undefined, ofSettings],
  ]
  return parts
    .flatMap(([root, rows]) => rows.map((row) => ({ root, row })))
    .flatMap(({ root, row }, level) =>
      root === undefined
        ? []
        : row.map(([folder, dialect, files]) => ({
            at: path.join(root, folder),
            dialect: dialectNamed(dialect),
            files,
            level,
            // What people put into their own folder, links included, is theirs.
            ...(root === userHome ? { isOfUser: true } : { within: root }),
          })),
    )
}
