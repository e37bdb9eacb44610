import type { Json } from '@cadre/core'
import { configKeys, findKey } from '@cadre/home'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { type ConfigRow, configPaths, configRows } from './config-rows.ts'

export interface ShowFlags {
  readonly home?: string
  readonly json?: boolean
}

/** `cadre config list`. */
export async function listConfig(io: Io, flags: ShowFlags & { readonly all?: boolean }): Promise<ExitCode> {
  const rows = await configRows(io, flags.home)
  const unset = flags.all ? configKeys().filter((key) => !rows.some((row) => row.key === key)) : []
  if (flags.json) {
    io.stdout.write(`${JSON.stringify([...rows, ...unset.map((key) => ({ key }))])}\n`)
    return exitCodes.done
  }
  const cells = [
    ...rows.map(({ key, value, from }) => [key, formatValue(value), abbreviateHome(io, from)]),
    ...unset.map((key) => [key, '', 'not set']),
  ].map((row) => row.map(cleanLine))
  const { user, project, isTrusted } = await configPaths(io, flags.home)
  if (cells.length > 0) io.stdout.write(textTable(['KEY', 'VALUE', 'FROM'], cells, availableWidth(io.stdout)))
  else
    io.stdout.write(
      `Nothing is configured. User file: ${cleanLine(user)}. Project file: ${cleanLine(project)}.\n`,
    )
  if (!isTrusted) io.warn(`${project} is ignored, because you do not trust this folder.`)
  return exitCodes.done
}

/** `cadre config get`. */
export async function getConfig(io: Io, flags: ShowFlags, written: string): Promise<ExitCode> {
  const key = findKey(written).keys.join('.')
  const rows = await configRows(io, flags.home)
  const found = rows.filter((row) => row.key === key || row.key.startsWith(`${key}.`))
  if (flags.json) io.stdout.write(`${JSON.stringify(found)}\n`)
  else
    for (const row of found) {
      io.stdout.write(
        `${row.key === key ? '' : `${cleanLine(row.key)}: `}${cleanLine(formatValue(row.value))}\n`,
      )
      if (io.stdout.isTTY) io.stderr.write(`${sourceText(row)}\n`)
    }
  if (found.length > 0) return exitCodes.done
  if (!flags.json) io.warn(`${key} is not set.`)
  return exitCodes.failed
}

function sourceText({ from, overrides = [] }: ConfigRow): string {
  const others = overrides.map((other) => `${formatValue(other.value)} (${other.from})`)
  return cleanLine(`  from ${from}${others.length === 0 ? '' : `; overrides ${others.join(', ')}`}`)
}

/** Abbreviates the user's home, as shells do. */
function abbreviateHome({ env }: Io, from: string): string {
  const home = env['HOME']
  return home && from.startsWith(`${home}/`) ? `~${from.slice(home.length)}` : from
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
