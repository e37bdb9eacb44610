import type { NeedsTrust } from '@cadre/files'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import type { Style } from '../output/style.ts'
import { type ReadLineOptions, readLine } from './read-line.ts'

export type ConfirmTrust = (needs: readonly NeedsTrust[]) => Promise<boolean>

/** Shows a person what a folder brings that could run or open something up, and asks whether to use it. */
export function createConfirmTrust(io: Io, style: Style, options: ReadLineOptions): ConfirmTrust {
  return async (needs) => {
    const items = needs.map(({ file, line, key, value, reason }) => {
      const why = reason.slice(reason.lastIndexOf(', and ') + ', and '.length)
      return `  ${cleanLine(key)}: ${cleanLine(JSON.stringify(value))}\n    ${style.dim(`${cleanLine(file)}:${line}, ${cleanLine(why)}`)}`
    })
    io.stdout.write(
      `${style.yellow('?')} This folder brings settings that are used only when you trust them:\n${items.join('\n')}\n`,
    )
    const said = await readLine(io, '  Use them, for as long as they do not change? y/N: ', options)
    return /^y(es)?$/i.test(said ?? '')
  }
}
