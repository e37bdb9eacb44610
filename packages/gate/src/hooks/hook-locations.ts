import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { HookLevel } from './hook.ts'
import type { HooksFileRequest } from './read-hooks-file.ts'

export interface HookLocation {
  readonly path: string
  readonly level: HookLevel
  readonly kind: HooksFileRequest['kind']
}

type Row = readonly [name: string, kind: HooksFileRequest['kind']]

const ofProject: readonly Row[] = [
  ['.github/hooks', 'hooks'],
  ['.github/copilot/settings.json', 'copilot-settings'],
  ['.github/copilot/settings.local.json', 'copilot-settings'],
  ['.claude/settings.json', 'claude-settings'],
  ['.claude/settings.local.json', 'claude-settings'],
]
const ofUser: readonly Row[] = [
  ['.copilot/hooks', 'hooks'],
  ['.copilot/settings.json', 'copilot-settings'],
  ['.claude/settings.json', 'claude-settings'],
]

/** Returns every possible hook file, existing or not, in evaluation order. Lists the hook folders. */
export function hookLocations({
  project,
  userHome,
  policyFolder,
}: {
  readonly project: string
  readonly userHome: string
  readonly policyFolder?: string | undefined
}): HookLocation[] {
  const places = (root: string, level: HookLevel, rows: readonly Row[]) =>
    rows.flatMap(([name, kind]) => {
      const at = path.join(root, name)
      return (kind === 'hooks' ? jsonFilesIn(at) : [at]).map((file) => ({ path: file, level, kind }))
    })
  return [
    ...places(project, 'project', ofProject),
    ...places(userHome, 'user', ofUser),
    ...(policyFolder === undefined ? [] : places(policyFolder, 'policy', [['.', 'hooks']])),
  ]
}

function jsonFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.json$/i.test(name))
      .sort()
      .slice(0, 1_000)
      .map((name) => path.join(folder, name))
  } catch {
    // Missing or unreadable, so there are none.
    return []
  }
}
