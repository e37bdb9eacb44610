import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { startProcess } from '@cadre/disk'
import type { CommandLimits } from '@cadre/home'
import { releasePipes } from '../processes/release-pipes.ts'
import { sendSignal } from '../processes/send-signal.ts'
import { signalGroup } from '../processes/signal-group.ts'
import type { ExceededLimit } from './command-limit.ts'
import { createHeadTailBuffer } from './head-tail-buffer.ts'
import { createLiveOutput } from './live-output.ts'
import { shellProgram } from './shell-program.ts'
import { terminateGracefully } from './terminate-gracefully.ts'
import { watchLimits } from './watch-limits.ts'

/**
 * Runs one program and all processes that it starts, as a group. Owns the processes until it resolves:
 *
 * 1. The group is always ended before it resolves, including processes that the program left running.
 * 2. It never waits for a pipe that another process keeps open.
 * 3. It resolves exactly once and never rejects.
 * 4. On cancellation or timeout, the program is asked to end first and gets a short grace period.
 * 5. A program that exceeds its limits is killed immediately, and so is everything it started.
 */
export interface GroupRequest {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly maxOutput: number
  /** A line for the program's standard input, which stays open while this process lives. Absent: no input. */
  readonly stdin?: string
  readonly limits: CommandLimits
  /** A text in the environment of everything it starts. */
  readonly mark?: string
  /** In-memory folders that only the program sees, by its paths. Only with `wantsStatus`. */
  readonly memoryFolders?: readonly string[]
  /** Data that the program can read from file descriptors 3, 4, … */
  readonly input?: readonly (string | Uint8Array)[]
  /** Ends processes that left the group. Called when the program has exited, before waiting for its last output. */
  readonly endOthers?: () => void
  /** Receives the output as it arrives. */
  readonly take?: ((text: string) => void) | undefined
  /** Opens one more file descriptor after those, and returns its text. */
  readonly wantsStatus?: boolean
}

export interface GroupEnd {
  readonly kind: 'exited' | 'timed_out' | 'cancelled' | 'flooded' | 'over_limit' | 'not_started'
  readonly limit?: ExceededLimit
  readonly code: number | null
  readonly output: string
  readonly cut: boolean
  /** The text from the status descriptor. */
  readonly status: string
}

/** The grace period for cleaning up. */
const grace = 2_000

/** The running groups, which must end with this process. */
const runningGroups = new Set<() => void>()
let isWatched = false

function endWithThisProcess(kill: () => void): void {
  runningGroups.add(kill)
  if (isWatched) return
  isWatched = true
  process.on('exit', () => {
    for (const each of runningGroups) each()
  })
}

/** Nobody reads that much output, and the disk may not have room for it. */
const maxOutputBytes = 200_000_000

// The first argument is the maximum file size, in the block size of this shell. A process that writes more gets a signal.
const limitScript = 'ulimit -c 0; ulimit -f "$1"; shift; '
// Joins both streams to keep their order. `exec` replaces the shell with the program.
const joinStreamsScript = `${limitScript}exec "$@" 2>&1`
// Node's pipes are sockets, which cannot be opened as /dev/stdout. So a real pipe is placed in between. Its reader has its
// own group, because it must end last. Its first byte signals that it has left the group and the command's environment.
const pipeScript = `${limitScript}exec "$@" > >(exec /usr/bin/env -i /usr/bin/setsid /bin/sh -c 'printf +; exec cat') 2>&1`

export function runGroup(request: GroupRequest, signal: AbortSignal): Promise<GroupEnd> {
  const {
    program,
    args,
    cwd,
    environment,
    timeoutMs,
    maxOutput,
    limits,
    mark,
    memoryFolders = [],
    input = [],
    stdin,
    wantsStatus = false,
    endOthers,
    take,
  } = request
  return new Promise((resolve) => {
    if (signal.aborted)
      return resolve(notStarted('cancelled', 'The command was cancelled before it started.'))
    const shell = shellProgram()
    const isPiped = shell !== '/bin/sh' && existsSync('/usr/bin/setsid') && existsSync('/usr/bin/env')
    const blocks = String(limits.fileMegabytes * (shell === '/bin/sh' ? 2_048 : 1_024))
    const child = startProcess(
      shell,
      ['-c', isPiped ? pipeScript : joinStreamsScript, 'sh', blocks, program, ...args],
      {
        cwd,
        env: withoutStartup(environment),
        stdio: [
          stdin === undefined ? 'ignore' : 'pipe',
          'pipe',
          'ignore',
          ...input.map(() => 'pipe' as const),
          ...(wantsStatus ? (['pipe'] as const) : []),
        ],
        detached: true,
      },
    )
    if (child.pid !== undefined) lowerPriority(child.pid)
    const output = createHeadTailBuffer(maxOutput)
    const live = take && createLiveOutput(take)
    let kind: GroupEnd['kind'] = 'exited'
    let limit: ExceededLimit | undefined
    let status = ''
    /** The first process in bubblewrap's namespace: the others end with it. */
    const first = () => Number(/"child-pid": *(\d+)/.exec(status)?.[1])

    const kill = () => signalGroup(child, 'SIGKILL')
    const killAll = () => {
      kill()
      endOthers?.()
    }
    endWithThisProcess(killAll)
    const stop = (why: GroupEnd['kind']) => {
      if (kind === 'exited') kind = why
      kill()
    }
    let ending: Promise<void> | undefined
    // Until then, the reader is in the group. If it ended too early, the writers would be killed by SIGPIPE.
    let readerLeft = () => {}
    const hasReader = isPiped ? new Promise<void>((resolve) => (readerLeft = resolve)) : Promise.resolve()
    const ask = (why: GroupEnd['kind']) => {
      if (kind !== 'exited' || child.pid === undefined) return
      kind = why
      // Bubblewrap's processes are in a pid namespace, and would all be killed with it.
      if (wantsStatus && Number.isNaN(first())) return kill()
      const until = Date.now() + grace
      const asked = { group: child.pid, first: wantsStatus ? first() : undefined, until }
      setTimeout(readerLeft, grace).unref()
      ending = hasReader.then(() => terminateGracefully(asked)).then(killAll)
    }
    const endWatch =
      child.pid === undefined
        ? () => undefined
        : watchLimits({
            leader: child.pid,
            limits,
            mark,
            memoryFolders: () =>
              Number.isNaN(first()) ? [] : memoryFolders.map((folder) => `/proc/${first()}/root${folder}`),
            stop(exceeded) {
              limit = exceeded
              if (kind === 'exited') kind = 'over_limit'
              if (!Number.isNaN(first())) sendSignal(first(), 'SIGKILL')
              killAll()
            },
          })
    const timer = setTimeout(() => ask('timed_out'), timeoutMs)
    const cancel = () => ask('cancelled')
    signal.addEventListener('abort', cancel, { once: true })

    const stdout = child.stdout as Readable
    const statusPipe = child.stdio[3 + input.length] as Readable | undefined
    let received = 0
    let hasExited = false
    stdout.on('data', (bytes: Buffer) => {
      const isFirst = received++ === 0
      if (isFirst) readerLeft()
      const added = isPiped && isFirst ? bytes.subarray(1) : bytes
      output.add(added)
      live?.add(added)
      if (isFirst && hasExited) killAll()
      if (output.total > maxOutputBytes) stop('flooded')
    })
    statusPipe?.setEncoding('utf8').on('data', (text: string) => {
      status += text
    })
    const pipeTo = (fd: number) => {
      const pipe = child.stdio[fd] as Writable
      // A program that does not read it may close it first.
      return pipe.on('error', () => undefined)
    }
    for (const [i, text] of input.entries()) pipeTo(3 + i).end(text)
    const line = stdin === undefined ? undefined : pipeTo(0)
    line?.write(`${stdin}\n`)

    const release = () =>
      releasePipes({
        pipes: [stdout, statusPipe],
        quiet: 5_000,
        received: () => (isPiped && received === 0 ? undefined : received),
      })
    const settle = (end: GroupEnd) => {
      clearTimeout(timer)
      endWatch()
      signal.removeEventListener('abort', cancel)
      runningGroups.delete(killAll)
      kill()
      resolve(end)
    }
    child.on('error', (error) => settle(notStarted('not_started', error.message)))
    child.on('exit', () => {
      hasExited = true
      line?.destroy()
      const end = () => {
        if (!isPiped || received > 0) killAll()
        release()
      }
      // Its children may still be cleaning up.
      if (ending === undefined) end()
      else void ending.then(end)
    })
    child.on('close', (code, name) => {
      live?.end()
      const ended = { code: code ?? numberOf(name), output: output.text(), cut: output.cut, status }
      if (kind === 'exited' && ended.code === fileTooLarge)
        settle({ ...ended, kind: 'over_limit', limit: { kind: 'file_size', value: limits.fileMegabytes } })
      else settle({ ...ended, kind, ...(kind === 'over_limit' && limit !== undefined && { limit }) })
    })
  })
}

/** Removes variables that make a shell run a startup file before the program, outside any sandbox. */
function withoutStartup(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|LD_.*)$/
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.test(name)))
}

function notStarted(kind: 'cancelled' | 'not_started', output: string): GroupEnd {
  return { kind, code: null, output, cut: false, status: '' }
}

/**
 * Lowers the priority, which all children inherit. On an idle machine this makes no difference; on a busy one, this process
 * still gets enough time to stop a command that starts thousands of others.
 */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has already exited.
  }
}

/** 128 plus the number of SIGXFSZ. */
const fileTooLarge = 153

/** The exit code as shells report it: after a signal, 128 plus its number. */
function numberOf(name: NodeJS.Signals | null): number | null {
  return name === null ? null : 128 + constants.signals[name]
}
