import type { ConfirmTrust } from '@cadre/runtime'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import type { Style } from '../output/style.ts'
import { wrapForTerminal } from '../output/wrap-for-terminal.ts'
import { type ReadLineOptions, readLine } from './ask-line.ts'

/** Shows the user what a folder and its home directory contain, and asks whether to trust it. */
export function createConfirmTrust(io: Io, style: Style, options: ReadLineOptions): ConfirmTrust {
  return async ({ folder, missing }) => {
    const items = missing.map(({ file, line, what }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return `  ${cleanLine(place)}\n    ${style.dim(cleanLine(what))}`
    })
    const text = `${style.yellow('?')} Do you trust ${cleanLine(folder)}? It contains files that can run programs, start work or grant permissions:\n${items.join('\n')}\n  Until you trust this folder, Cadre ignores them and agents are read-only.`
    io.stdout.write(`${wrapForTerminal(io.stdout, text)}\n`)
    const said = await readLine(
      io,
      '  Trust them until they change? y, n, or Enter to decide later: ',
      options,
    )
    if (/^y(es)?$/i.test(said?.trim() ?? '')) return 'yes'
    return /^no?$/i.test(said?.trim() ?? '') ? 'no' : 'later'
  }
}
