/**
 * Owns one hook process, everything it starts, and the file with its input.
 * 1. It leads its own process group; ending it early kills the group.
 * 2. Only this user can read the file, and it is deleted when this resolves.
 * 3. It resolves even if a child of the hook keeps the pipes open.
 */
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { messageOf } from '@cadre/core'
import { startProcess } from '@cadre/disk'
import { releasePipes } from '../processes/release-pipes.ts'
import { signalGroup } from '../processes/signal-group.ts'
import type { HookAction } from './hook.ts'
import { runAsHookActivity } from './hook-activity.ts'
import type { HookEnd } from './run-hook.ts'

export interface HookProcess {
  readonly action: Extract<HookAction, { kind: 'command' }>
  readonly payload: string
  readonly cwd: string
  /** Receives the path of the file that contains the payload. */
  readonly environment: (input: string) => NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly graceMs: number
}

/** The number of characters kept of each stream; the rest is discarded. */
const maxOutput = 10 * 1_024 * 1_024

export async function runHookProcess(run: HookProcess, signal: AbortSignal): Promise<HookEnd> {
  const input = path.join(tmpdir(), `cadre-hook-${randomUUID()}.json`)
  try {
    await writeFile(input, run.payload, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    return { kind: 'failed', why: 'start', reason: `cannot write its input: ${messageOf(error)}` }
  }
  try {
    return await runAsHookActivity(() => start(run, run.environment(input), signal))
  } finally {
    await rm(input, { force: true }).catch(() => {})
  }
}

function start(run: HookProcess, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<HookEnd> {
  if (signal.aborted) return Promise.resolve(cancelled)
  const { action, cwd, payload, timeoutMs, graceMs } = run
  const [program, args] = commandLine(action, env)
  return new Promise((resolve) => {
    const child = startProcess(program, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let ended: HookEnd | undefined
    const out = collect()
    const err = collect()
    const timers: NodeJS.Timeout[] = []

    const kill = (how: NodeJS.Signals) => signalGroup(child, how)
    const cancel = () => {
      ended ??= cancelled
      kill('SIGKILL')
    }
    const settle = (end: HookEnd) => {
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      resolve(end)
    }
    timers.push(
      setTimeout(() => {
        const reason = `the hook took longer than ${timeoutMs / 1_000} s and was killed`
        ended ??= { kind: 'failed', why: 'timeout', reason }
        kill('SIGTERM')
        timers.push(setTimeout(() => kill('SIGKILL'), graceMs))
      }, timeoutMs),
    )
    signal.addEventListener('abort', cancel, { once: true })

    let received = 0
    child.stdout.on('data', (bytes: Buffer) => {
      received += 1
      out.add(bytes)
    })
    child.stderr.on('data', (bytes: Buffer) => {
      received += 1
      err.add(bytes)
    })
    // A hook that reads nothing closes its input early.
    child.stdin.on('error', () => {})
    child.on('error', (error) =>
      settle({ kind: 'failed', why: 'start', reason: `cannot start ${program}: ${error.message}` }),
    )
    child.on('exit', () => {
      // Kills everything that a stopped hook started, even if it exited on the first signal.
      if (ended !== undefined) kill('SIGKILL')
      releasePipes({ pipes: [child.stdout, child.stderr], quiet: 200, received: () => received })
    })
    child.on('close', (code, by) => {
      if (ended !== undefined) return settle(ended)
      if (code === null)
        return settle({ kind: 'failed', why: 'killed', reason: `the hook was killed (${by})` })
      settle({ kind: 'exited', code, stdout: out.text(), stderr: err.text() })
    })
    child.stdin.end(payload)
  })
}

const cancelled: HookEnd = { kind: 'failed', why: 'aborted', reason: 'the hook was cancelled' }

function commandLine(
  { command, shell, args }: HookProcess['action'],
  env: NodeJS.ProcessEnv,
): [string, string[]] {
  const project = env['CLAUDE_PROJECT_DIR'] ?? ''
  switch (shell) {
    case 'bash':
      // Node's pipes are sockets, and bash treats a socket as a remote login: it would run ~/.bashrc.
      return ['bash', ['--norc', '--noprofile', '-c', command]]
    case 'sh':
      return ['/bin/sh', ['-c', command]]
    case 'powershell':
      return [process.platform === 'win32' ? 'powershell.exe' : 'pwsh', ['-NoProfile', '-Command', command]]
    case 'cmd':
      return ['cmd.exe', ['/d', '/s', '/c', command]]
    default: {
      const fill = (text: string) => text.replaceAll(/\$\{CLAUDE_PROJECT_DIR\}/g, project)
      return [fill(command), (args ?? []).map(fill)]
    }
  }
}

function collect() {
  const decoder = new StringDecoder('utf8')
  const parts: string[] = []
  let kept = 0
  return {
    add(bytes: Buffer): void {
      if (kept >= maxOutput) return
      const text = decoder.write(bytes).slice(0, maxOutput - kept)
      kept += text.length
      parts.push(text)
    },
    text: () => parts.join(''),
  }
}
