import path from 'node:path'
import { isInside } from '@cadre/disk'
import { followLinks } from '../paths/follow-links.ts'
import { statsAt } from '../paths/one-look.ts'

/** Folders in which no program is looked for: agents, or a repository, can put files there. */
export interface ProgramSearch {
  readonly path: string
  readonly excluded: readonly string[]
}

export type Program =
  /** A file that agents cannot change. */
  | { readonly kind: 'outside'; readonly file: string }
  /** A file of the workspace or of the home. */
  | { readonly kind: 'inside'; readonly file: string }
  | { readonly kind: 'missing' }

/** The folders of the path that are absolute and lead into none of the excluded ones. */
export function searchFolders({ path: folders, excluded }: ProgramSearch): readonly string[] {
  const key = `${folders}\0${excluded.join('\0')}`
  const known = found.get(key)
  if (known !== undefined) return known
  const real = excluded.map(realOf)
  const list = [...new Set(folders.split(path.delimiter))].filter(
    (folder) => path.isAbsolute(folder) && !real.some((place) => isInside(place, realOf(folder))),
  )
  if (found.size > 100) found.clear()
  found.set(key, list)
  return list
}

const found = new Map<string, readonly string[]>()

/** The file that a name stands for: looked for in the folders of the path, or, with a slash, from `folder`. */
export function resolveProgram(name: string, folder: string, search: ProgramSearch): Program {
  if (name.includes('/')) {
    const file = path.isAbsolute(name) ? name : `${folder}/${name}`
    if (!isProgram(file)) return { kind: 'missing' }
    return {
      kind: isExcluded(file, search) ? 'inside' : 'outside',
      file: path.isAbsolute(name) ? name : realOf(file),
    }
  }
  const key = `${name}\0${search.path}\0${search.excluded.join('\0')}`
  const known = resolved.get(key)
  if (known !== undefined && isProgram(known)) return { kind: 'outside', file: known }
  for (const place of searchFolders(search)) {
    const file = path.join(place, name)
    if (!isProgram(file)) continue
    if (isExcluded(file, search)) return { kind: 'inside', file }
    if (resolved.size > 500) resolved.clear()
    resolved.set(key, file)
    return { kind: 'outside', file }
  }
  return { kind: 'missing' }
}

/** Programs outside of what agents can change stay where they are. */
const resolved = new Map<string, string>()

function isExcluded(file: string, { excluded }: ProgramSearch): boolean {
  const real = realOf(file)
  return excluded.some((place) => isInside(realOf(place), real))
}

function isProgram(file: string): boolean {
  const stats = statsAt(file)
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0
}

function realOf(place: string): string {
  const followed = followLinks(path.isAbsolute(place) ? place : path.resolve(place))
  return followed.kind === 'followed' ? followed.real : place
}
