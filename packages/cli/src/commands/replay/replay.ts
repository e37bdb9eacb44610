import path from 'node:path'
import { type Replayed, readFixture, replayRun } from '@cadre/replay'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'
import { createStyle, type Style, shouldUseColour } from '../../output/style.ts'
import { writeFiles } from '../agents/agents-files.ts'
import { differenceText } from './difference-text.ts'

export interface ReplayFlags {
  readonly home?: string
  readonly workspace?: string
  readonly noHooks?: boolean
  readonly update?: boolean
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre replay`. */
export async function replayFixture(io: Io, flags: ReplayFlags, file: string): Promise<ExitCode> {
  const target = path.resolve(io.cwd, file)
  const fixture = readFixture(target)
  const { home, workspace, trust, noHooks, update = false } = flags
  const options = { home, workspace, trust, hooks: noHooks !== true }
  const replayed = await replayRun(io, fixture, options, new AbortController().signal)
  for (const { message } of replayed.notices) io.stderr.write(`cadre: ${cleanLine(message)}\n`)
  const isSame = replayed.differences.length === 0
  const isUpdated = update && !isSame && replayed.sessions > 0
  if (isUpdated) {
    const files = [{ path: path.basename(target), text: `${JSON.stringify(replayed.fixture, null, 2)}\n` }]
    writeFiles({ folder: path.dirname(target), files, force: true })
  }
  if (flags.json) io.stdout.write(`${JSON.stringify(toJson(target, replayed, isUpdated))}\n`)
  else io.stdout.write(textOf(replayed, isUpdated, createStyle(shouldUseColour(io.stdout, io.env))))
  return isSame || isUpdated ? exitCodes.done : exitCodes.failed
}

function toJson(fixture: string, { differences, sessions, calls }: Replayed, updated: boolean): object {
  return {
    fixture,
    same: differences.length === 0,
    sessions,
    calls,
    differences,
    ...(updated && { updated }),
  }
}

function textOf({ differences, sessions, calls }: Replayed, isUpdated: boolean, style: Style): string {
  const later = differences.filter(({ isAfterDifference }) => isAfterDifference).length
  const own = differences.length - later
  const size = `${formatCount(sessions, 'session')}, ${formatCount(calls, 'call')}`
  const found =
    differences.length === 0
      ? style.green('no difference')
      : style.red(
          `${formatCount(own, 'difference')}${later === 0 ? '' : `, and ${later} more that follow from them`}`,
        )
  const updated = isUpdated ? '. The fixture was updated' : ''
  return `${differences.map((one) => differenceText(one, style)).join('')}${size}: ${found}${updated}\n`
}
