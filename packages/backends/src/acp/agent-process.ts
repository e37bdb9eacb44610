/**
 * A running agent program, connected through its standard input and output.
 *
 * 1. It always ends with this process: Cadre kills it on exit, and its standard input closes. The next start of a program
 *    ends what a killed Cadre left.
 * 2. Ending it ends its whole process group, and every process that it has started.
 * 3. It does not keep this process alive; callers that wait for it do.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import type { Clock } from '@cadre/core'
import { removeFolder } from '../private-folder.ts'
import { JsonLinesPeer, type PeerOptions } from './json-lines-peer.ts'
import { killMarkedProcesses, markVariable } from './kill-marked-processes.ts'

export interface ProcessOptions extends Pick<PeerOptions, 'requested' | 'notified'> {
  /** How errors name the program. */
  readonly title: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string | undefined }
  /** Written to the file descriptors 3 and up. */
  readonly inputs?: readonly Uint8Array[]
  /** The private folder of the program. Deleted when the program has ended. */
  readonly folder: string
  readonly clock: Clock
  /** Removes secrets from the output of the program. */
  readonly hide: (text: string) => string
  /** Called once, after the program has ended. Never rejects. */
  readonly cleanUp?: () => Promise<void>
}

const closeGrace = 1_000
/** How long a killed program may take to be gone. One that waits for a broken disk can take forever. */
const killGrace = 5_000
const running = new Set<AgentProcess>()

export class AgentProcess {
  readonly peer: JsonLinesPeer
  /** Resolves when the program has ended and is cleaned up, with a sentence about it. */
  readonly ended: Promise<string>
  isRunning = true
  readonly #child: ChildProcess
  readonly #options: ProcessOptions
  #stderr = ''
  #end: (how: string) => void = () => {}
  #cleanUp: () => void = () => {}

  constructor(options: ProcessOptions) {
    this.#options = options
    const { command, args, cwd, env, inputs = [], folder } = options
    const child = spawn(command, args, {
      cwd,
      env: { ...env, [markVariable]: path.basename(folder) },
      stdio: ['pipe', 'pipe', 'pipe', ...inputs.map(() => 'pipe' as const)],
      // Its own process group: Ctrl-C goes to Cadre, which stops everything in order.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.#child = child
    running.add(this)
    if (running.size === 1) process.on('exit', killAll)
    unref(child)
    for (const [index, bytes] of inputs.entries()) {
      const stream = child.stdio[index + 3] as NodeJS.WritableStream
      stream.on('error', () => {})
      stream.end(bytes)
    }
    child.stderr
      ?.on('error', () => {})
      .on('data', (chunk: Buffer) => {
        this.#stderr = (this.#stderr + chunk.toString()).slice(-4_000)
      })
    this.ended = new Promise((resolve) => {
      this.#end = (how) => {
        if (!this.isRunning) return
        this.isRunning = false
        this.peer.close()
        this.#killAll()
        let isCleaned = false
        this.#cleanUp = () => {
          if (isCleaned) return
          isCleaned = true
          cancelTimer()
          running.delete(this)
          if (running.size === 0) process.off('exit', killAll)
          // It may have started another process while it died.
          this.#killAll()
          const cleaned = options.cleanUp?.()
          removeFolder(folder)
          if (cleaned === undefined) resolve(how)
          else void cleaned.then(() => resolve(how))
        }
        // A killed process is not gone at once. Until then it may still write what Cadre is about to undo.
        const cancelTimer = this.#isGone ? () => {} : options.clock.after(killGrace, () => this.#cleanUp())
        if (this.#isGone) this.#cleanUp()
      }
    })
    this.peer = new JsonLinesPeer({
      input: child.stdin as NonNullable<typeof child.stdin>,
      output: child.stdout as NonNullable<typeof child.stdout>,
      requested: options.requested,
      notified: options.notified,
      violated: (reason) => this.#end(`Cadre stopped ${options.title} because ${reason}.`),
    })
    child.on('error', (error) => this.#end(`cannot start ${options.title}: ${error.message}.`))
    // Not `close`: a process that the program left behind may keep the pipes open.
    child.on('exit', (code, signal) => {
      this.#end(this.#howItEnded(code, signal))
      this.#cleanUp()
    })
  }

  /** Lets the program exit by itself, and kills it if it does not. Never waits long. */
  async stop(): Promise<void> {
    const cancelTimer = this.isRunning
      ? this.#options.clock.after(closeGrace, () => this.kill('the program did not exit'))
      : () => {}
    // Neither the program nor the clock keeps this process alive, but a caller is waiting.
    const alive = setInterval(() => {}, 2 ** 31 - 1)
    if (this.isRunning) this.#child.stdin?.end()
    await this.ended
    clearInterval(alive)
    cancelTimer()
  }

  /** Ends it now, and cleans up when it is gone. `reason` completes "Cadre stopped NAME because …". */
  kill(reason: string): void {
    this.#end(`Cadre stopped ${this.#options.title} because ${reason}.`)
  }

  /** Kills it and cleans up without waiting, because this process exits. */
  killAtExit(): void {
    this.kill('Cadre exits')
    this.#cleanUp()
  }

  get #isGone(): boolean {
    const { pid, exitCode, signalCode } = this.#child
    return pid === undefined || exitCode !== null || signalCode !== null
  }

  #killAll(): void {
    const { pid } = this.#child
    if (pid !== undefined) {
      try {
        if (process.platform === 'win32') this.#child.kill('SIGKILL')
        else process.kill(-pid, 'SIGKILL')
      } catch {
        // The whole group is gone.
      }
    }
    killMarkedProcesses(path.basename(this.#options.folder))
  }

  #howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
    const { title, hide } = this.#options
    const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`
    const words = hide(this.#stderr).trim().split('\n').at(-1)?.trim().slice(0, 500)
    return `${title} ${how}.${code && words ? ` Its last line: ${words}` : ''}`
  }
}

function killAll(): void {
  for (const one of running) one.killAtExit()
}

function unref(child: ChildProcess): void {
  child.unref()
  for (const stream of child.stdio) (stream as unknown as { unref?(): void } | null)?.unref?.()
}
