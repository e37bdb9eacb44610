import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { isFolder } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { describeSystemError, problemLocation, readStatus } from '@cadre/server'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import type { UpFlags } from './up.ts'

const maxLogBytes = 5 << 20

/** Starts the daemon in a separate process. Resolves when it is ready, or with why it failed. */
export async function startDetached(
  io: Io,
  home: Home,
  flags: UpFlags & { readonly workspace: string },
): Promise<ExitCode> {
  requireHome(home)
  const log = home.at('storage', 'daemon.log')
  const { file, from } = openLog(home, log)
  const child = spawn(process.execPath, [process.argv[1] as string, 'up', ...argsOf(home, flags, log)], {
    cwd: io.cwd,
    env: io.env,
    detached: true,
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(exitCodes.failed))
    child.once('exit', (code) => resolve(code ?? exitCodes.failed))
  })
  const ready = await Promise.race([waitUntilReady(home, child.pid ?? 0), ended])
  if (typeof ready === 'number') return reportFailedStart(io, flags, log, from, ready as ExitCode)
  child.unref()
  if (flags.json)
    io.stdout.write(`${JSON.stringify({ type: 'daemon.ready', pid: child.pid, home: home.path, log })}\n`)
  else
    io.stdout.write(
      `Watching ${home.path} in process ${child.pid}. Log: ${log}. Stop it with: cadre down${repeatedFlags(flags)}\n`,
    )
  // Warns a user who leaves now about missing permissions.
  if (!flags.json)
    for (const problem of readStatus(home)?.problems ?? [])
      io.stderr.write(`cadre: ${cleanLine(`${problemLocation(problem)}: ${problem.message}`)}\n`)
  return exitCodes.done
}

function openLog(home: Home, log: string): { readonly file: number; readonly from: number } {
  try {
    home.folder('storage')
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(log, `${log}.1`)
    const file = openSync(log, 'a', 0o600)
    writeSync(file, `${new Date().toISOString()} cadre up --detach\n`)
    return { file, from: statSync(log).size }
  } catch (error) {
    const message = `cannot write the daemon log. ${describeSystemError(error)}, or use another home directory with --home.`
    throw new CadreError('configuration', message, { where: log, cause: error })
  }
}

function requireHome(home: Home): void {
  if (isFolder(home.path)) return
  throw new CadreError(
    'configuration',
    'there is no home directory here. Create one with "cadre init --team NAME", or specify one with --home.',
    {
      where: home.path,
    },
  )
}

function argsOf(home: Home, flags: UpFlags & { readonly workspace: string }, log: string): string[] {
  return [
    ...['--home', home.path, '--workspace', flags.workspace, '--log', log],
    ...(flags.model === undefined ? [] : ['--model', flags.model]),
    ...(flags.team === undefined ? [] : ['--team', flags.team]),
    ...(flags.allow ?? []).flatMap((effect) => ['--allow', effect]),
    ...(flags.engine === undefined ? [] : ['--engine', flags.engine]),
    ...(flags.trust ? ['--trust'] : []),
    ...(flags.json ? ['--json'] : []),
  ]
}

async function waitUntilReady(home: Home, pid: number): Promise<'ready'> {
  for (;;) {
    const status = readStatus(home)
    if (status?.pid === pid && status.state === 'running') return 'ready'
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The daemon has printed the reason before it exited. */
function reportFailedStart(io: Io, { json }: UpFlags, log: string, from: number, code: ExitCode): ExitCode {
  const said = readFileSync(log).subarray(from).toString('utf8').trim().split('\n')
  const last = said.at(-1) ?? ''
  if (json)
    io.stdout.write(`${last.startsWith('{') ? last : JSON.stringify({ type: 'error', message: last })}\n`)
  else io.stderr.write(`${last === '' ? `cadre: the daemon did not start. See ${log}.` : last}\n`)
  return code
}
