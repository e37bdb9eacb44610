import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type Diagnostic, readWithin } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import type { ClaudeRule } from './claude-rule.ts'
import { type ReadPermissions, readPermissions } from './read-permissions.ts'
import { widens } from './widens.ts'

export interface FindPermissionsRequest {
  readonly project: string
  readonly userHome: string
  /** Whether a person has agreed to what a file of the project allows. */
  readonly trusted: (item: TrustItem) => boolean
}

/** The rules of `permissions` that apply in a project. */
export interface PermissionSet {
  readonly rules: readonly ClaudeRule[]
  readonly diagnostics: readonly Diagnostic[]
  /** Files of which nobody can tell what they forbid. */
  readonly lost: readonly string[]
}

export const noPermissions: PermissionSet = { rules: [], diagnostics: [], lost: [] }

/** Reads the settings of the project and of the user. A file of the project restricts at once, and allows what it allows after trust. */
export function findPermissions({ project, userHome, trusted }: FindPermissionsRequest): PermissionSet {
  const seen = new Set<string>()
  const found = [
    ...projectFiles(project).map((file) => readAt(file, project, 'project', seen)),
    readAt(path.join(userHome, '.claude/settings.json'), undefined, 'user', seen),
  ]
  return {
    rules: found.flatMap(({ file, rules, level }) => {
      if (level === 'user') return rules
      const item = allowItem(file, rules)
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

/** What a person agrees to before a file of the project allows anything. Nothing if it allows nothing. */
export function allowItem(file: string, rules: readonly ClaudeRule[]): TrustItem | undefined {
  const allowed = rules.filter(widens).map(({ text }) => text)
  if (allowed.length === 0) return undefined
  return {
    path: `${file}#permissions.allow`,
    sha256: createHash('sha256').update(JSON.stringify(allowed)).digest('hex'),
  }
}

interface FoundPermissions extends ReadPermissions {
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
  const content = readWithin(root ?? path.parse(file).root, file)
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
  // One file that is reached in two ways is one of the project.
  if (seen.has(real)) return nothing
  seen.add(real)
  return { file, level, ...readPermissions({ path: file, text: content.text, level }) }
}
