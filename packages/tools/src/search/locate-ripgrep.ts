import { constants } from 'node:fs'
import { access } from 'node:fs/promises'

/** Where ripgrep's program is; `undefined` when it is not installed for this platform. */
export type LocateRipgrep = () => Promise<string | undefined>

export const locateRipgrep: LocateRipgrep = async () => {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    await access(rgPath, constants.X_OK)
    return rgPath
  } catch {
    return undefined
  }
}
