import { realpathSync } from 'node:fs'
import path from 'node:path'

/** A path inside the workspace, after every symbolic link in it was followed. */
export interface RealPath {
  readonly real: string
  /** Relative to the workspace, with `/` between names; `.` for the workspace itself. */
  readonly shown: string
}

/** Why a path may not be written, in a sentence; `undefined` when it may. */
export type ProtectedPath = (path: RealPath) => string | undefined

interface ProtectedFolder {
  readonly names: readonly string[]
  readonly except?: string
  readonly what: string
}

// What decides about agents is not theirs to change: an agent that can write its own rules has none.
const folders: readonly ProtectedFolder[] = [
  { names: ['.git'], what: "git's own files" },
  { names: ['.cadre'], except: 'workspaces', what: 'the home of the agents' },
  { names: ['.github', 'agents'], what: 'agent files' },
  { names: ['.github', 'chatmodes'], what: 'agent files' },
  { names: ['.github', 'hooks'], what: 'hooks' },
  { names: ['.github', 'copilot'], what: 'settings and hooks' },
  { names: ['.vscode', 'settings.json'], what: 'settings that can define agents' },
  { names: ['.claude'], what: 'agent files and hooks' },
  { names: ['.opencode'], what: 'agent files' },
  { names: ['.config', 'cadre'], what: "the user's own settings" },
]

/** The paths no agent may write, wherever in the workspace they are; `home` is one more, whatever its name. */
export function protectedPaths(options: { readonly home?: string } = {}): ProtectedPath {
  const homes = options.home === undefined ? [] : spellings(options.home)
  return ({ real, shown }) => {
    const names = plain(shown).split('/')
    for (const folder of folders) {
      if (names.some((_, at) => isInside(names.slice(at), folder.names, folder.except)))
        return refuse(shown, folder.what)
    }
    const place = plain(real).split(path.sep)
    const inHome = homes.some((home) => isInside(place, home, 'workspaces'))
    return inHome ? refuse(shown, 'the home of the agents') : undefined
  }
}

/** The home as it was named, and as it really is. */
function spellings(home: string): string[][] {
  const named = path.resolve(home)
  let real = named
  try {
    real = realpathSync(named)
  } catch {
    // Not made yet: then there is no link in its place either.
  }
  return [...new Set([plain(named), plain(real)])].map((spelling) => spelling.split(path.sep))
}

function isInside(names: readonly string[], folder: readonly string[], except?: string): boolean {
  if (!folder.every((name, at) => names[at] === name)) return false
  return except === undefined || names[folder.length] !== except
}

function refuse(shown: string, what: string): string {
  return `${shown} belongs to ${what}, which agents may not change; ask a person to change it.`
}

// Compared as the most forgiving file system would: without case, and without characters that some systems ignore in
// names. `git~1` is the short name of `.git` on Windows.
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .toLowerCase()
    .replace(/(^|[\\/])git~\d+(?=$|[\\/])/g, '$1.git')
}
