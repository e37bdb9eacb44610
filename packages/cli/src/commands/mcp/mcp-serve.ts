import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { ownerOnly } from '@cadre/disk'
import { resolveWorkspace } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { version } from '../../version.ts'
import { launchDelegatedRun } from './launch-delegated-run.ts'

export interface ServeFlags {
  readonly home?: string
  readonly workspace?: string
  readonly readOnly?: boolean
  readonly http?: boolean
  readonly port?: number
  readonly tokenFile?: string
}

/** `cadre mcp`: the MCP server. */
export async function serveMcp(io: Io, flags: ServeFlags): Promise<ExitCode> {
  const workspace = resolveWorkspace(io, flags.workspace)
  if (!flags.http && (flags.port !== undefined || flags.tokenFile !== undefined))
    throw new CadreError('usage', '--port and --token-file need --http.')
  if (flags.port !== undefined && flags.port > 65_535)
    throw new CadreError('usage', `--port must be at most 65535, not ${flags.port}.`)
  const options = {
    environment: io,
    home: flags.home,
    workspace,
    version,
    readOnly: flags.readOnly,
    launch: launchDelegatedRun(io, flags.home),
  }
  const stop = new AbortController()
  const giveBack = handleStopSignals(
    () => stop.abort(),
    () => process.exit(exitCodes.done),
  )
  try {
    if (flags.http) await serveHttp(io, { ...flags, options }, stop.signal)
    else await serveStdio(io, options, stop.signal)
    return exitCodes.done
  } finally {
    giveBack()
  }
}

type Options = Omit<Parameters<typeof import('@cadre/protocols')['serveMcpStdio']>[0], 'input' | 'output'>

async function serveStdio(io: Io, options: Options, signal: AbortSignal): Promise<void> {
  if (io.stdin.isTTY)
    io.warn(
      'this is an MCP server, and waits for a program on standard input. Set it up with "cadre mcp install". Press Ctrl-C to stop.',
    )
  const { serveMcpStdio } = await import('@cadre/protocols')
  await serveMcpStdio({ ...options, input: io.stdin, output: io.stdout.stream }, signal)
}

async function serveHttp(
  io: Io,
  { options, port = 0, tokenFile }: ServeFlags & { readonly options: Options },
  signal: AbortSignal,
): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const { serveMcpHttp } = await import('@cadre/protocols')
  const server = await serveMcpHttp({ ...options, port, token })
  const file = tokenFile === undefined ? undefined : path.resolve(io.cwd, tokenFile)
  try {
    if (file !== undefined) writeToken(file, token)
    const how = file === undefined ? `Authorization: Bearer ${token}` : `the token is in ${file}`
    io.stderr.write(`MCP server at ${server.url}, ${how}\n`)
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
    })
  } finally {
    await server.close()
    if (file !== undefined) rmSync(file, { force: true })
  }
}

/** A new file, so that nobody has it open already. */
function writeToken(file: string, token: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, `${token}\n`, { mode: ownerOnly, flag: 'wx' })
}
