import path from 'node:path'
import { nameKey } from '@cadre/core'
import { haveSamePermissions } from '../fix/have-same-permissions.ts'
import type { LintSubject, ProjectRule } from '../subject.ts'

/** Files of one project that define the same name: which one is used, and which are not. */
export const duplicateRule: ProjectRule = function* (members) {
  const byName = new Map<string, LintSubject[]>()
  for (const subject of members) {
    const { agent } = subject.read
    if (agent === undefined) continue
    const key = `${loadedWith(subject)}\n${nameKey(agent.name)}`
    byName.set(key, [...(byName.get(key) ?? []), subject])
  }
  for (const group of byName.values()) {
    if (group.length < 2) continue
    const used = group.reduce((first, other) => (isBefore(other, first) ? other : first))
    for (const subject of group) if (subject !== used) yield { subject, finding: findingOf(subject, used) }
  }
}

/** The files that one host loads together. If no host loads a file from its folder, people copy it with that folder. */
function loadedWith({ membership: { level, plugin, place }, path: at }: LintSubject): string {
  if (level !== undefined) return ''
  return plugin === undefined ? path.dirname(at) : place
}

/** The precedence of the loader: the higher level, then the deeper folder, then the file with the name of an agent file. */
function isBefore(a: LintSubject, b: LintSubject): boolean {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0) return rank > 0
  return isMarked(a) && !isMarked(b) && path.dirname(a.path) === path.dirname(b.path)
}

function rankOf({ membership: { level = -1 }, path: at }: LintSubject): number {
  return level * 1_000 + at.split(/[\\/]/).length
}

function isMarked(subject: LintSubject): boolean {
  return /\.agent\.(?:md|ya?ml)$/i.test(subject.path)
}

function findingOf(subject: LintSubject, used: LintSubject) {
  const name = subject.read.agent?.name ?? ''
  if (!isBefore(used, subject)) {
    const isLoaded = subject.membership.level !== undefined
    return {
      severity: isLoaded ? ('error' as const) : ('warning' as const),
      code: 'name-twice',
      line: subject.header.get('name')?.line ?? 1,
      message: `${name} is also defined in ${used.shown}. ${isLoaded ? 'Both have the same precedence, so Cadre does not use this one' : 'Only one of them can be used'}.`,
      fix: 'Rename or remove one of them.',
    }
  }
  const same =
    subject.read.agent && used.read.agent && haveSamePermissions(subject.read.agent, used.read.agent)
  return {
    severity: same ? ('info' as const) : ('warning' as const),
    code: 'shadowed',
    line: subject.header.get('name')?.line ?? 1,
    message: `${name} is also defined in ${used.shown}, which takes precedence${same ? '. Both grant the same permissions' : ''}.`,
  }
}
