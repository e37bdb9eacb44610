import { statSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import type { Environment } from './environment.ts'

/** The folder the agents may change: an absolute path of a folder that is there. */
export function resolveWorkspace({ cwd }: Pick<Environment, 'cwd'>, wanted: string | undefined): string {
  const folder = path.resolve(cwd, wanted ?? '.')
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new CadreError(
    'usage',
    'the workspace folder does not exist. Create it, or choose another with --workspace.',
    {
      where: folder,
    },
  )
}
