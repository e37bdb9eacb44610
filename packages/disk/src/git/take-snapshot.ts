import { copyFileSync, existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import { isInside, realPathOf } from '../files/files.ts'
import { changedPaths } from './changed-paths.ts'
import { type GitRequest, git } from './git.ts'
import { isFile } from './is-file.ts'
import { stagePaths } from './stage-paths.ts'
import { userIgnores } from './user-ignores.ts'

export interface SnapshotRequest extends GitRequest {
  readonly workTree: string
  /** Where the index of the snapshot is put; it is at the folder's state afterwards. */
  readonly index: string
  /** The index to begin with, which is only read: what it knows of files need not be found out again. */
  readonly from?: string
  /** Ignored files to include, if they exist. */
  readonly also?: readonly string[]
  /** A folder that is never part of it, unless the snapshot is of something in it. */
  readonly without: string
  readonly limits?: { readonly files: number; readonly bytes: number }
}

export type Snapshot =
  | {
      readonly kind: 'taken'
      readonly tree: string
      /** Folders that are repositories of their own, and are not part of it. */
      readonly repositories: readonly string[]
    }
  | { readonly kind: 'too_large'; readonly reason: string }

/**
 * The files of a folder as a tree: committed or not, staged or not, new ones included; ignored ones are left out. Neither the
 * files nor the index of whoever works there is touched.
 */
export async function takeSnapshot(request: SnapshotRequest): Promise<Snapshot> {
  const { workTree, from, without, limits, also = [] } = request
  if (from !== undefined && existsSync(from)) copyFileSync(from, request.index)
  const { paths, repositories } = await changedPaths(request, await userIgnores())
  const [whole, apart] = [realPathOf(workTree), realPathOf(without)]
  const own = isInside(apart, whole)
    ? paths
    : paths.filter((name) => !isInside(apart, path.join(whole, name)))
  const reason = limits && tooLarge(workTree, own, limits)
  if (reason !== undefined) return { kind: 'too_large', reason }
  const more = also.filter((name) => isFile(path.join(workTree, name)))
  await stagePaths([...new Set([...own, ...more])], request)
  return { kind: 'taken', tree: (await git(['write-tree'], request)).trim(), repositories }
}

function tooLarge(
  folder: string,
  names: readonly string[],
  limits: { readonly files: number; readonly bytes: number },
): string | undefined {
  if (names.length > limits.files)
    return `${folder} has ${names.length} files, but Cadre copies at most ${limits.files}`
  let bytes = 0
  for (const name of names) bytes += lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  if (bytes <= limits.bytes) return undefined
  const [large, most] = [bytes, limits.bytes].map((size) => `${Math.ceil(size / 1_000_000)} MB`)
  return `${folder} has ${large}, but Cadre copies at most ${most}`
}
