import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import nodePath from 'node:path'
import { type Infer, object, optional, string, type Tool, type ToolContext } from '@cadre/core'
import type { PathResolver } from '@cadre/gate'
import { builtIn, pathAliases, type ToolImplementation, withoutArguments } from '../built-in.ts'
import type { HiddenFileFilter } from '../create-tools.ts'
import { codeOf, Refusal } from '../refusal.ts'
import { withPinnedFolder } from '../search/with-pinned-folder.ts'
import { confinePath, isHiddenPath } from './confine-path.ts'

const input = object({
  path: optional(string('Path of the folder, relative to the workspace; default the workspace itself')),
})

export type ListDirectoryInput = Infer<typeof input>

export function listDirectoryTool(hiddenIn?: HiddenFileFilter, places?: PathResolver): Tool {
  return builtIn<ListDirectoryInput>({
    name: 'list_directory',
    description: 'List a folder: folders end in /, symbolic links in @.',
    class: 'read',
    effect: 'read',
    argumentAliases: { ...pathAliases, dirPath: 'path', dir_path: 'path', directory: 'path' },
    reshape: (given) => withoutArguments(given, ['explanation', 'ignore']),
    input,
    paths: ({ path }) => [path || '.'],
    load: () => listDirectory(hiddenIn, places),
  })
}

const maxEntries = 1_000

function listDirectory(
  hiddenIn?: HiddenFileFilter,
  places?: PathResolver,
): ToolImplementation<ListDirectoryInput> {
  return {
    run: ({ path }, context) =>
      list(path || '.', context, { isHidden: hiddenIn?.(context.workspace), places }),
  }
}

interface Rules {
  readonly isHidden: ReturnType<HiddenFileFilter>
  readonly places: PathResolver | undefined
}

async function list(path: string, context: ToolContext, { isHidden, places }: Rules) {
  const folder = confinePath({ context, path, places })
  let entries: Dirent[]
  try {
    entries = await withPinnedFolder(folder.real, (base) => readdir(base, { withFileTypes: true }))
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw new Refusal(`${folder.shown} is a file. Read it with read_file.`)
    if (codeOf(error) === 'ENOENT')
      throw new Refusal(`${folder.shown} does not exist. List its parent folder.`)
    throw error
  }
  if (isHidden !== undefined)
    entries = entries.filter(
      ({ name }) => !isHiddenPath(folder, nodePath.posix.join(folder.shown, name), isHidden),
    )
  const mounts = folder.shown === '.' ? (places?.mountsIn(context.workspace) ?? []) : []
  const beside = mounts.map(({ name }) => `[You can also read ${name}/, the ${name} of this home directory]`)
  if (entries.length === 0) return { content: [`[${folder.shown} is empty]`, ...beside].join('\n') }
  const names = entries.sort(foldersFirst).map(nameOf)
  const shown = names.slice(0, maxEntries)
  if (names.length > maxEntries) shown.push(`[${names.length - maxEntries} more. Find them with find_files]`)
  return { content: [...shown, ...beside].join('\n') }
}

function foldersFirst(a: Dirent, b: Dirent): number {
  return Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1)
}

function nameOf(entry: Dirent): string {
  // A name may contain a line break; each line of the list is one entry.
  const name = /[\n\r]/.test(entry.name) ? JSON.stringify(entry.name) : entry.name
  return `${name}${entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''}`
}
