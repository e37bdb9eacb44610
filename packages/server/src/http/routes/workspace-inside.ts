import path from 'node:path'
import { isFolder, isInside, realPathOf } from '@cadre/disk'
import { HttpProblem } from '../problem.ts'

/** The folder for a new session: the daemon's folder, or a folder inside it. A browser must not choose where agents can write. */
export function workspaceInside(wanted: string | undefined, own: string): string {
  if (wanted === undefined) return own
  if (wanted.includes('\0')) throw new HttpProblem(400, 'The workspace is not a valid path.')
  const folder = path.resolve(own, wanted)
  if (!isInside(realPathOf(own), realPathOf(folder)))
    throw new HttpProblem(
      403,
      `The workspace must be ${own} or a folder inside it. For another folder, run "cadre up" there.`,
      { code: 'policy' },
    )
  if (!isFolder(folder))
    throw new HttpProblem(404, `There is no folder ${JSON.stringify(wanted)} in ${own}.`, {
      code: 'not_found',
    })
  return folder
}
