import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type Diagnostic, readInsideFolder } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import { allowsMore } from './allows-more.ts'
import type { ClaudeRule } from './claude-rule.ts'
import { type ParsedPermissions, readPermissions } from './read-permissions.ts'

export interface FindPermissionsRequest {
  readonly project: string
  readonly userHome: string
  /** True if a person trusts what a project file allows. */
  readonly trusted: (item: TrustItem) => boolean
}

/** The rules of `permissions` that apply in a project. */
export interface PermissionSet {
  readonly rules: readonly ClaudeRule[]
  readonly diagnostics: readonly Diagnostic[]
  /** Files that could not be read, so that what they deny is unknown. */
  readonly lost: readonly string[]
}

export const noPermissions: PermissionSet = { rules: [], diagnostics: [], lost: [] }

/**
 * Reads the settings of the project and the user. Restrictions of a project file apply immediately, its permissions only
 * after trust.
 */
export function findPermissions({ project, userHome, trusted }: FindPermissionsRequest): PermissionSet {
  const seen = new Set<string>()
  const found = [
    ...projectFiles(project).map((file) => readAt(file, project, 'project', seen)),
    readAt(path.join(userHome, '.claude/settings.json'), undefined, 'user', seen),
  ]
  return {
    rules: found.flatMap(({ file, rules, level }) => {
      if (level === 'user') return rules
      const item = permissionsTrustItem(file, rules)
      return item === undefined || trusted(item)
        ? rules
        : rules.filter(({ decision }) => decision !== 'allow')
    }),
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
    lost: found.flatMap(({ file, isLost }) => (isLost ? [file] : [])),
  }
}

export function projectFiles(project: string): string[] {
  return ['.claude/settings.json', '.claude/settings.local.json'].map((name) => path.join(project, name))
}

/** Returns the trust item for the permissions of a project file, or undefined if it allows nothing. */
export function permissionsTrustItem(file: string, rules: readonly ClaudeRule[]): TrustItem | undefined {
  const allowed = rules.filter(allowsMore).map(({ text }) => text)
  if (allowed.length === 0) return undefined
  return {
    path: `${file}#permissions.allow`,
    sha256: createHash('sha256').update(JSON.stringify(allowed)).digest('hex'),
  }
}

interface FoundPermissions extends ParsedPermissions {
  readonly file: string
  readonly level: ClaudeRule['level']
}

function readAt(
  file: string,
  root: string | undefined,
  level: ClaudeRule['level'],
  seen: Set<string>,
): FoundPermissions {
  const nothing = { file, level, rules: [], diagnostics: [], isLost: false }
  const content = readInsideFolder(root ?? path.parse(file).root, file)
  if (content.kind === 'none') return nothing
  if (content.kind === 'unusable') {
    const message = `Cadre does not read the permissions in this file: ${content.reason}. Every call needs approval.`
    return {
      ...nothing,
      isLost: true,
      diagnostics: [{ path: file, severity: 'error', code: 'permissions', message }],
    }
  }
  const real = realpathSync(file)
  // A file that is found twice counts as a project file.
  if (seen.has(real)) return nothing
  seen.add(real)
  return { file, level, ...readPermissions({ path: file, text: content.text, level }) }
}
