import { statSync } from 'node:fs'
import path from 'node:path'
import { findLintFiles } from './find-lint-files.ts'
import type { Subject } from './subject.ts'

const live = [
  '.opencode/agent',
  '.opencode/agents',
  '.claude/agents',
  '.github/chatmodes',
  '.github/agents',
  '.cadre/templates',
  '.vscode',
]

/** The other agent files of a project, where only some of them are looked at: those may name agents of these. */
export function neighboursOf(project: string, members: readonly Subject[]): string[] {
  const known = new Set(members.map((member) => member.path))
  const places = new Set([...live.map((place) => path.join(project, place)), ...members.map(placeOf)])
  const found = [...places].flatMap((place) => (isFolder(place) ? findLintFiles(place).files : []))
  return [...new Set(found)].filter((file) => !known.has(file))
}

function placeOf({ membership }: Subject): string {
  return path.resolve(membership.place)
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
}
