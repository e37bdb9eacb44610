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
  /** The path of the snapshot's index, which then matches the folder. */
  readonly index: string
  /** An index to start from, so that unchanged files need not be read. It is not changed. */
  readonly from?: string
  /** Ignored files to include, if they exist. */
  readonly also?: readonly string[]
  /** A folder to exclude, unless the snapshot is of a folder inside it. */
  readonly without: string
  readonly limits?: { readonly files: number; readonly bytes: number }
}

export type Snapshot =
  | {
      readonly kind: 'taken'
      readonly tree: string
      /** Nested repositories, which are not part of the snapshot. */
      readonly repositories: readonly string[]
    }
  | { readonly kind: 'too_large'; readonly reason: string }

/**
 * Takes a snapshot of a folder as a git tree: all files that are not ignored, committed or not. Does not change the files or the user's
 * index.
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
  const [large, max] = [bytes, limits.bytes].map((size) => `${Math.ceil(size / 1_000_000)} MB`)
  return `${folder} has ${large}, but Cadre copies at most ${max}`
}
