import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { hasCode, unlinkIfExists } from '@cadre/disk'
import type { CheckpointFolder } from './checkpoint-folder.ts'
import type { FileState } from './file-state.ts'
import { isBehindLink } from './path-stats.ts'
import type { Step } from './turn-record.ts'

type FileStep = Step & { readonly to: Extract<FileState, { kind: 'file' }> }

/**
 * Applies steps whose files were just checked. Each file is replaced atomically. Removes first, so that a folder can
 * replace a file and a file a folder.
 */
export async function applySteps(folder: CheckpointFolder, steps: readonly Step[]): Promise<void> {
  const sorted = steps.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const isReplaced = ({ from, to }: Step) =>
    from.kind !== 'absent' && (from.kind === 'folder') !== (to.kind === 'folder')
  // Contents before their folder.
  for (const step of sorted.toReversed())
    if (step.to.kind === 'absent' || isReplaced(step)) remove(folder, step)
  for (const { path: name, to } of sorted) if (to.kind === 'folder') makeFolders(folder, name)
  for (const { path: name, to } of sorted) {
    if (to.kind === 'unstored') throw new Error(`unreachable: ${name} cannot be restored`)
    if (to.kind !== 'link') continue
    makeFolders(folder, path.posix.dirname(name))
    putBeside(folder.place(name), (draft) => symlinkSync(Buffer.from(to.target, 'latin1'), draft))
  }
  const isMode = ({ from, to }: FileStep) => from.kind === 'file' && from.object === to.object
  const files = sorted.filter((step): step is FileStep => step.to.kind === 'file')
  for (const step of files) {
    if (!isMode(step)) continue
    makeFolders(folder, path.posix.dirname(step.path))
    chmodSync(folder.place(step.path), step.to.mode)
  }
  await writeFiles(
    folder,
    files.filter((step) => !isMode(step)),
  )
}

async function writeFiles(folder: CheckpointFolder, files: readonly FileStep[]): Promise<void> {
  const wanted = new Map<string, FileStep[]>()
  for (const step of files) wanted.set(step.to.object, [...(wanted.get(step.to.object) ?? []), step])
  for await (const [object, content] of folder.objects.read(files.map(({ to }) => to))) {
    for (const { path: name, to } of wanted.get(object) ?? []) {
      makeFolders(folder, path.posix.dirname(name))
      putBeside(folder.place(name), (draft) => {
        writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true })
        chmodSync(draft, to.mode)
      })
    }
    wanted.delete(object)
  }
  const [missing] = wanted.values()
  if (missing?.[0] !== undefined)
    throw new CadreError('corrupt', `the content of ${missing[0].path} is no longer in the checkpoint.`, {
      where: folder.at('git'),
    })
}

function remove(folder: CheckpointFolder, { path: name, from }: Step): void {
  const place = folder.place(name)
  if (isBehindLink(folder.top, name)) return
  try {
    if (from.kind === 'folder') rmdirSync(place)
    else unlinkSync(place)
  } catch (error) {
    // A folder with other files stays.
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error
  }
}

/** Creates the folders of a path one by one, never through a link. */
function makeFolders(folder: CheckpointFolder, name: string): void {
  if (name === '.') return
  const parts = name.split('/')
  for (let length = 1; length <= parts.length; length++) {
    const place = folder.place(parts.slice(0, length).join('/'))
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats === undefined) mkdirSync(place)
    else if (!stats.isDirectory())
      throw new CadreError('usage', `${place} is not a folder. Move it elsewhere.`, { where: place })
  }
}

const draftPrefix = '.cadre-undo-'

function putBeside(place: string, make: (draft: string) => void): void {
  const draft = path.join(path.dirname(place), `${draftPrefix}${process.pid}`)
  unlinkIfExists(draft)
  try {
    make(draft)
    renameSync(draft, place)
  } catch (error) {
    unlinkIfExists(draft)
    throw error
  }
}

/** Removes temporary files of an interrupted undo. */
export function removeTemporaryFiles(folder: CheckpointFolder, steps: readonly Step[]): void {
  for (const parent of new Set(steps.map(({ path: name }) => path.posix.dirname(name)))) {
    const place = folder.place(parent)
    let names: string[]
    try {
      names = readdirSync(place)
    } catch {
      continue
    }
    for (const name of names) if (name.startsWith(draftPrefix)) unlinkIfExists(path.join(place, name))
  }
}
