import { mayBeSameName, plainName } from './plain-name.ts'

export interface ProtectedName {
  /** The segments of the path, in their usual spelling. */
  readonly names: readonly string[]
  /** A session whose workspace is below this name may change it; a session above may not. */
  readonly except?: string
  readonly what: string
}

// Files that control agents: an agent that can change its own rules has none. Also files that make another program run
// something unasked, when a folder is opened, entered or committed to. Instructions for agents (AGENTS.md, CLAUDE.md) and
// files that people run by name (package.json, Makefile) are ordinary work files.
export const protectedNames: readonly ProtectedName[] = [
  { names: ['.git'], what: "git's own files" },
  { names: ['.cadre'], except: 'workspaces', what: "Cadre's home directory" },
  { names: ['.github', 'agents'], what: 'agent files' },
  { names: ['.github', 'chatmodes'], what: 'agent files' },
  { names: ['.github', 'hooks'], what: 'hooks' },
  { names: ['.github', 'copilot'], what: 'settings and hooks' },
  { names: ['.vscode', 'settings.json'], what: 'settings that can define agents' },
  { names: ['.vscode', 'mcp.json'], what: 'MCP servers that an editor starts' },
  { names: ['.vscode', 'tasks.json'], what: 'programs that an editor starts' },
  { names: ['.vscode', 'launch.json'], what: 'programs that an editor starts' },
  { names: ['.zed'], what: 'programs and servers that an editor starts' },
  // Not the whole folder, because the editor writes there all the time.
  { names: ['.idea', 'runConfigurations'], what: 'programs that an editor starts' },
  { names: ['.idea', 'watcherTasks.xml'], what: 'programs that an editor starts' },
  { names: ['.idea', 'startup.xml'], what: 'programs that an editor starts' },
  { names: ['.devcontainer'], what: "an editor's container settings" },
  { names: ['.devcontainer.json'], what: "an editor's container settings" },
  { names: ['.mcp.json'], what: 'MCP servers that are started for agents' },
  { names: ['.claude'], what: 'agent files and hooks' },
  { names: ['.copilot'], what: 'agent files and hooks' },
  { names: ['.opencode'], what: 'agent files' },
  { names: ['opencode.json'], what: "a coding agent's settings and MCP servers" },
  { names: ['opencode.jsonc'], what: "a coding agent's settings and MCP servers" },
  { names: ['.cursor'], what: "a coding agent's hooks, MCP servers and rules" },
  { names: ['.windsurf'], what: "a coding agent's hooks, MCP servers and rules" },
  { names: ['.codex'], what: "a coding agent's settings and MCP servers" },
  { names: ['.gemini'], what: "a coding agent's settings and MCP servers" },
  { names: ['.qwen'], what: "a coding agent's settings and MCP servers" },
  { names: ['.kiro'], what: "a coding agent's hooks and MCP servers" },
  { names: ['.roo'], what: "a coding agent's MCP servers and rules" },
  { names: ['.amazonq'], what: "a coding agent's settings and MCP servers" },
  { names: ['.continue'], what: "a coding agent's settings and MCP servers" },
  { names: ['.aider.conf.yml'], what: 'commands that a coding agent runs' },
  { names: ['.husky'], what: 'git hooks' },
  { names: ['.pre-commit-config.yaml'], what: 'git hooks' },
  { names: ['lefthook.yml'], what: 'git hooks' },
  { names: ['.lefthook.yml'], what: 'git hooks' },
  { names: ['.envrc'], what: 'commands that a shell runs on entering the folder' },
  { names: ['.config', 'cadre'], what: "the user's own settings" },
  { names: ['.config', 'opencode'], what: 'agent files' },
]

const plainNames = protectedNames.map(({ names, what }) => ({ names: names.map(plainName), what }))
/** The few names without a leading dot. */
const namesWithoutDot = new Set(
  plainNames.flatMap(({ names: [first = ''] }) => (first[0] === '.' ? [] : [first])),
)

/** Returns what a path is part of by its normalized names, at any depth in the workspace. */
export function protectionByName(plain: readonly string[]): string | undefined {
  for (let at = 0; at < plain.length; at++) {
    const first = plain[at] as string
    // A fast path: most names are none of these. A tilde marks a Windows short name.
    if (first[0] !== '.' && !namesWithoutDot.has(first) && !first.includes('~')) continue
    const found = plainNames.find(({ names }) => names.every((name, i) => mayBeSameName(plain[at + i], name)))
    if (found !== undefined) return found.what
  }
  return undefined
}
