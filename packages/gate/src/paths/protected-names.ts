import { mayBe } from './plain-name.ts'

export interface ProtectedName {
  /** The steps of the path, in plain letters. */
  readonly names: readonly string[]
  /** Whoever works below this name in it is free to; from above, by its name, it is not. */
  readonly except?: string
  readonly what: string
}

// What decides about agents is not theirs to change: an agent that can write its own rules has none. Instructions for
// agents (AGENTS.md, CLAUDE.md) are part of the work.
export const protectedNames: readonly ProtectedName[] = [
  { names: ['.git'], what: "git's own files" },
  { names: ['.cadre'], except: 'workspaces', what: 'the home of the agents' },
  { names: ['.github', 'agents'], what: 'agent files' },
  { names: ['.github', 'chatmodes'], what: 'agent files' },
  { names: ['.github', 'hooks'], what: 'hooks' },
  { names: ['.github', 'copilot'], what: 'settings and hooks' },
  { names: ['.vscode', 'settings.json'], what: 'settings that can define agents' },
  { names: ['.vscode', 'mcp.json'], what: 'servers that an editor starts' },
  { names: ['.vscode', 'tasks.json'], what: 'programs that an editor starts' },
  { names: ['.mcp.json'], what: 'servers that are started for agents' },
  { names: ['.claude'], what: 'agent files and hooks' },
  { names: ['.copilot'], what: 'agent files and hooks' },
  { names: ['.opencode'], what: 'agent files' },
  { names: ['.config', 'cadre'], what: "the user's own settings" },
  { names: ['.config', 'opencode'], what: 'agent files' },
]

/** What a path belongs to by its names, wherever in the workspace they are. */
export function protectionByName(plain: readonly string[]): string | undefined {
  for (let at = 0; at < plain.length; at++) {
    // All of them begin with a dot, or with what stands for a name that does.
    const first = plain[at] as string
    if (first[0] !== '.' && !first.includes('~')) continue
    const found = protectedNames.find(({ names }) => names.every((name, i) => mayBe(plain[at + i], name)))
    if (found !== undefined) return found.what
  }
  return undefined
}
