import { type Dirent, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { CadreError, didYouMean } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { hasCode, matchesPattern } from '@cadre/disk'
import { editFile, type Home, openHome, withLock } from '@cadre/home'
import { readPlainTaskFile } from '../read-plain-task-file.ts'
import { readTaskFile } from '../read-task-file.ts'
import type { QueryFiles } from './answer-select.ts'

/** Task files that a query may also change. */
export interface ChangeableFiles extends QueryFiles {
  /** Returns `undefined` if there is no such file. */
  raw(file: string): RawText | undefined
  /** Like `editFile`: atomic, and keeps concurrent edits. */
  edit(file: string, edit: (raw: RawText | undefined) => RawText | undefined): Promise<boolean>
  /** Returns the reason why the file cannot be created, or `undefined` if it can or exists. */
  objection(file: string): string | undefined
  /** The files beside it. Task ids must be unique across them. */
  neighbours(file: string): readonly string[]
}

export interface QueryFilesOptions {
  /** The folder that names are relative to. */
  readonly folder: string
}

const ending = '.task.md'
const maxDepth = 20
const maxEntries = 100_000
const never = new Set(['node_modules', '.git'])

/** Opens the task files below a folder, by path. `*` matches any part of a name, `**` any folders. */
export function openQueryFiles({ folder }: QueryFilesOptions): ChangeableFiles {
  const at = (file: string) => path.resolve(folder, file)
  const contentOf = (file: string) => {
    const found = readPlainTaskFile(at(file))
    if (found === 'known') throw new Error('unreachable: the file is unchanged, but was not read before')
    return found
  }
  return {
    raw(file) {
      const { content, stamp } = contentOf(file)
      if ('problem' in content) throw new CadreError('usage', `${file}: ${content.problem.message}`)
      return stamp === 'none' ? undefined : content.raw
    },
    match(name) {
      if (name.includes('*')) return expand(folder, name)
      const kind = kindOf(at(name))
      if (kind === 'folder') return expand(folder, path.join(name, `*${ending}`))
      if (kind === 'file') return [name]
      throw new CadreError(
        'usage',
        `there is no file ${name}${didYouMean(path.basename(name), listFolder(path.dirname(at(name)))) || '.'}`,
      )
    },
    read(file) {
      const { content } = contentOf(file)
      return 'raw' in content ? readTaskFile(content.raw) : { tasks: [], problems: [content.problem] }
    },
    async edit(file, edit) {
      const change = () => editFile(at(file), edit)
      const home = homeOf(path.dirname(at(file)))
      return home === undefined ? change() : withLock(home, 'tasks', change)
    },
    objection(file) {
      const above = path.dirname(file)
      if (kindOf(at(file)) === 'folder') return `${file} is a folder. Specify a file in it.`
      return kindOf(at(above)) === 'folder' ? undefined : `There is no folder ${above}. Create it first.`
    },
    neighbours(file) {
      const own = path.basename(file)
      const names = listFolder(path.dirname(at(file))).filter((name) => name.endsWith(ending) && name !== own)
      return names.map((name) => path.join(path.dirname(file), name))
    },
  }
}

/** Returns the home of these tasks, whose lock this process must use. */
function homeOf(folder: string): Home | undefined {
  const above = path.dirname(folder)
  const isHome = path.basename(folder) === 'tasks' && kindOf(path.join(above, 'storage')) === 'folder'
  return isHome ? openHome({ home: above, cwd: above, env: {} }) : undefined
}

/** Returns all matching files, in order. Skips hidden folders unless the pattern names them. */
function expand(folder: string, pattern: string): string[] {
  const isAbsolute = path.isAbsolute(pattern)
  const found: string[] = []
  let left = maxEntries
  walk(
    isAbsolute ? path.parse(pattern).root : '',
    pattern.split(/[\\/]+/).filter((part) => part !== ''),
    0,
  )
  return [...new Set(found)].sort()

  function walk(shown: string, [part, ...rest]: readonly string[], depth: number): void {
    if (part === undefined || depth > maxDepth) return
    if (!part.includes('*')) {
      const next = path.join(shown, part)
      if (rest.length > 0) walk(next, rest, depth)
      else if (kindOf(path.resolve(folder, next)) === 'file') found.push(next)
      return
    }
    if (part === '**') walk(shown, rest.length === 0 ? [`*${ending}`] : rest, depth)
    for (const entry of entriesOf(path.resolve(folder, shown))) {
      left -= 1
      if (left < 0) throw new CadreError('usage', `${pattern} matches too many files. Specify a folder.`)
      const next = path.join(shown, entry.name)
      if (entry.name.startsWith('.') && !part.startsWith('.')) continue
      if (part === '**') {
        if (entry.isDirectory() && !never.has(entry.name)) walk(next, [part, ...rest], depth + 1)
      } else if (matchesPattern(entry.name, part)) {
        if (rest.length > 0) walk(next, rest, depth + 1)
        else if (entry.isFile()) found.push(next)
      }
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return []
    throw error
  }
}

function listFolder(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

function kindOf(target: string): 'file' | 'folder' | undefined {
  try {
    return statSync(target).isDirectory() ? 'folder' : 'file'
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
