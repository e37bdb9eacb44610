import { StringDecoder } from 'node:string_decoder'
import { startProcess } from '@cadre/disk'
import { cleanEnvironment, releasePipes, signalGroup } from '@cadre/gate'
import { Refusal } from '../refusal.ts'

export interface ProcessRequest {
  /** The program and its arguments, without a shell. */
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
  readonly timeoutMs: number
  /** Receives standard output as it arrives; `false` ends the process. */
  readonly take?: (text: string) => boolean
  /** The maximum number of characters kept of each stream. */
  readonly max?: number
}

export interface ProcessEnd {
  readonly kind: 'exited' | 'stopped' | 'timed_out'
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly cut: boolean
}

/** Runs a program to its end. If it is stopped, its children are stopped too. */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  signal.throwIfAborted()
  const { command, cwd, timeoutMs, take, max = 1_000_000 } = request
  const [program, ...args] = command
  return new Promise((resolve, reject) => {
    const child = startProcess(program, args, {
      cwd,
      env: cleanEnvironment(process.env, []),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let kind: ProcessEnd['kind'] = 'exited'
    const out = collect(max)
    const err = collect(max)

    const stop = (why: ProcessEnd['kind']) => {
      if (kind === 'exited') kind = why
      signalGroup(child, 'SIGKILL')
    }
    const timer = setTimeout(() => stop('timed_out'), timeoutMs)
    const cancel = () => stop('stopped')
    signal.addEventListener('abort', cancel, { once: true })
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }

    let received = 0
    child.stdout.on('data', (bytes: Buffer) => {
      received++
      const text = out.add(bytes)
      if (take !== undefined && kind === 'exited' && !take(text)) stop('stopped')
    })
    child.stderr.on('data', (bytes: Buffer) => {
      received++
      err.add(bytes)
    })
    child.on('error', (error) => {
      settle()
      reject(new Refusal(`Cannot start ${program}: ${error.message}`))
    })
    child.on('exit', () =>
      releasePipes({ pipes: [child.stdout, child.stderr], quiet: 200, received: () => received }),
    )
    child.on('close', (code) => {
      settle()
      if (signal.aborted)
        reject(signal.reason instanceof Error ? signal.reason : new Refusal('The search was cancelled.'))
      else resolve({ kind, code, stdout: out.text(), stderr: err.text(), cut: out.cut() || err.cut() })
    })
  })
}

function collect(max: number) {
  const decoder = new StringDecoder('utf8')
  let kept = ''
  let wasCut = false
  return {
    add(bytes: Buffer): string {
      const text = decoder.write(bytes)
      if (kept.length + text.length > max) wasCut = true
      if (kept.length < max) kept += text.slice(0, max - kept.length)
      return text
    },
    text: () => kept,
    cut: () => wasCut,
  }
}
