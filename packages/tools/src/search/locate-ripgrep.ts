import { constants } from 'node:fs'
import { access } from 'node:fs/promises'

/** Returns the path of ripgrep; `undefined` if it is not installed for this platform. */
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
