import { statSync } from 'node:fs'
import path from 'node:path'
import type { Place } from '../load/agent-places.ts'
import { findLintFiles } from './find-lint-files.ts'
import { livePlaces } from './project-of-file.ts'
import type { Subject } from './subject.ts'

/** The other agent files of a project, where only some of them are looked at: those may name agents of these. */
export function neighboursOf(project: string, members: readonly Subject[]): string[] {
  const known = new Set(members.map((member) => member.path))
  const places = new Set([...livePlaces(project).map(folderOf), ...members.map(placeOf)])
  const found = [...places].flatMap((place) => (isFolder(place) ? findLintFiles(place).files : []))
  return [...new Set(found)].filter((file) => !known.has(file))
}

function folderOf({ at, dialect }: Place): string {
  return dialect.format === 'settings' ? path.dirname(at) : at
}

function placeOf({ membership }: Subject): string {
  return path.resolve(membership.place)
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
}
