import path from 'node:path'
import { isInside } from '@cadre/disk'
import { followLinks } from '../paths/follow-links.ts'
import { statsAt } from '../paths/with-lookup-cache.ts'

/** Folders in which no program is searched for, because agents or a repository can put files there. */
export interface ProgramSearch {
  readonly path: string
  readonly excluded: readonly string[]
}

/** `inside`: a file in the workspace or the home, which agents can change. */
export type Program =
  | { readonly kind: 'inside' | 'outside'; readonly file: string }
  | { readonly kind: 'missing' }

/** The search folders and the programs found in them. Agents cannot change these, so they can be cached. */
interface Known {
  readonly folders: readonly string[]
  readonly files: Map<string, string>
}

const searches = new Map<string, Known>()

function knownOf(search: ProgramSearch): Known {
  const key = `${search.path}\0${search.excluded.join('\0')}`
  const before = searches.get(key)
  if (before !== undefined && before.files.size < 500) return before
  if (searches.size > 100) searches.clear()
  const folders = [...new Set(search.path.split(path.delimiter))]
  const isFit = (folder: string) => path.isAbsolute(folder) && !isExcluded(folder, search)
  const known = { folders: folders.filter(isFit), files: new Map<string, string>() }
  searches.set(key, known)
  return known
}

/** Returns the absolute folders of the search path that lead into none of the excluded ones. */
export function searchFolders(search: ProgramSearch): readonly string[] {
  return knownOf(search).folders
}

/** Resolves a program name to a file: in the folders of the search path or, for a name with a slash, relative to `folder`. */
export function resolveProgram(name: string, folder: string, search: ProgramSearch): Program {
  if (name.includes('/')) {
    const isAbsolute = path.isAbsolute(name)
    const file = isAbsolute ? name : `${folder}/${name}`
    if (!isProgram(file)) return { kind: 'missing' }
    const kind = isExcluded(file, search) ? 'inside' : 'outside'
    return { kind, file: isAbsolute ? file : realOf(file) }
  }
  const { files, folders } = knownOf(search)
  const known = files.get(name)
  if (known !== undefined && isProgram(known)) return { kind: 'outside', file: known }
  for (const place of folders) {
    const file = path.join(place, name)
    if (!isProgram(file)) continue
    if (isExcluded(file, search)) return { kind: 'inside', file }
    files.set(name, file)
    return { kind: 'outside', file }
  }
  return { kind: 'missing' }
}

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
