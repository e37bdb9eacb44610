import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Writable } from 'node:stream'
import { startProcess } from '@cadre/disk'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { ProgramStart } from './launch.ts'

export interface ProcessOptions {
  /** The most bytes of one message. A longer one closes the connection. */
  readonly longestLine?: number
}

const maxStderrLength = 4_000
/** How long a server may take to end after its input was closed, after SIGTERM, and after SIGKILL. */
const patience = { closed: 500, terminated: 1_500, killed: 500 }

/**
 * Communicates with a program over its standard input and output. The program gets its own process group, and the whole group ends with the
 * connection, because `npx`, shells and containers start further processes that would survive a signal to the first one.
 */
export class ProcessTransport implements Transport {
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  readonly #program: ProgramStart
  readonly #options: ProcessOptions
  #child: ChildProcess | undefined
  #partial: Buffer[] = []
  #size = 0
  #stderr = ''
  #isEnded = false
  #closing: Promise<void> | undefined

  constructor(program: ProgramStart, options: ProcessOptions = {}) {
    this.#program = program
    this.#options = options
  }

  /** The last lines that the server wrote to its standard error. */
  get stderr(): string {
    return this.#stderr
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): Promise<void> {
    const { command, args, env, cwd, inputs = [] } = this.#program
    return new Promise((resolve, reject) => {
      const child = startProcess(command, [...args], {
        cwd,
        env: { ...env },
        stdio: ['pipe', 'pipe', 'pipe', ...inputs.map(() => 'pipe' as const)],
        detached: true,
      }) as ChildProcessWithoutNullStreams
      this.#child = child
      if (child.pid !== undefined) endWithThisProcess(this)
      for (const [at, data] of inputs.entries()) {
        const pipe = child.stdio[at + 3] as Writable | undefined
        // It may end before it has read everything.
        pipe?.on('error', () => {})
        pipe?.end(data)
      }
      child.once('spawn', resolve)
      child.once('error', (error) => {
        reject(error)
        this.onerror?.(error)
      })
      child.stdin.on('error', (error) => this.onerror?.(error))
      child.stderr.on('data', (data: Buffer) => {
        this.#stderr = (this.#stderr + data.toString()).slice(-maxStderrLength)
      })
      child.stdout.on('data', (data: Buffer) => this.#read(data))
      // Not `close`: a process that the server left behind may keep the pipes open.
      child.once('exit', () => {
        child.stdout.destroy()
        this.#isEnded = true
        this.onclose?.()
      })
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin
    if (!input?.writable) return Promise.reject(new Error('the server has ended'))
    return new Promise((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /** Ends the whole group immediately, without waiting. */
  kill(): void {
    const pid = this.#child?.pid
    if (pid !== undefined) signal(-pid, 'SIGKILL')
  }

  async #end(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    const group = -child.pid
    child.stdin?.end()
    if (!(await isGone(group, patience.closed))) {
      signal(group, 'SIGTERM')
      if (!(await isGone(group, patience.terminated))) {
        signal(group, 'SIGKILL')
        await isGone(group, patience.killed)
      }
    }
    forget(this)
    child.stdout?.destroy()
    this.#partial = []
    if (!this.#isEnded) this.onclose?.()
  }

  #read(data: Buffer): void {
    let rest = data
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#partial, rest.subarray(0, end)]).toString()
      this.#partial = []
      this.#size = 0
      rest = rest.subarray(end + 1)
      this.#take(line)
    }
    this.#size += rest.length
    this.#partial.push(rest)
    const { longestLine = 4 << 20 } = this.#options
    if (this.#size <= longestLine) return
    this.#partial = []
    this.onerror?.(new Error(`the server sent a message of more than ${longestLine} bytes`))
    void this.close()
  }

  #take(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      // Some servers print a banner to standard output.
      return
    }
    if (typeof message === 'object' && message !== null) this.onmessage?.(message as JSONRPCMessage)
  }
}

/** The transports whose processes must end with this one. */
const running = new Set<ProcessTransport>()

function endWithThisProcess(transport: ProcessTransport): void {
  if (running.size === 0) process.on('exit', endAll)
  running.add(transport)
}

function forget(transport: ProcessTransport): void {
  if (running.delete(transport) && running.size === 0) process.off('exit', endAll)
}

function endAll(): void {
  for (const each of running) each.kill()
}

/** Waits until all processes in the group have ended. */
async function isGone(group: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (isGroupAlive(group)) {
    if (performance.now() > until) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(group, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(group, name)
  } catch {
    // It has just ended.
  }
}
