import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isFolder } from '@cadre/disk'
import type { Environment } from './environment.ts'

/** The absolute path of the folder that agents may change. Throws if it does not exist. */
export function resolveWorkspace({ cwd }: Pick<Environment, 'cwd'>, wanted: string | undefined): string {
  const folder = path.resolve(cwd, wanted ?? '.')
  if (isFolder(folder)) return folder
  throw new CadreError(
    'usage',
    'the workspace folder does not exist. Create it, or choose another with --workspace.',
    {
      where: folder,
    },
  )
}
