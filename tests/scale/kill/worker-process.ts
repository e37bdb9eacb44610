import { type ChildProcess, fork } from 'node:child_process'
import type { WorkerConfig } from './worker-program.ts'

/** A worker process that can be killed and started again on its port. */
export class WorkerProcess {
  readonly #config: WorkerConfig
  #child: ChildProcess
  #ready: Promise<void>

  constructor(config: WorkerConfig) {
    this.#config = config
    ;[this.#child, this.#ready] = this.#start()
  }

  get ready(): Promise<void> {
    return this.#ready
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  restart(): void {
    ;[this.#child, this.#ready] = this.#start()
  }

  stop(): void {
    this.#child.kill('SIGSTOP')
  }

  continue(): void {
    this.#child.kill('SIGCONT')
  }

  #start(): [ChildProcess, Promise<void>] {
    const program = process.env['CADRE_SCALE_WORKER'] as string
    const child = fork(program, [JSON.stringify(this.#config)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ready = new Promise<void>((resolve) => {
      child.once('message', () => resolve())
      child.once('exit', () => resolve())
    })
    return [child, ready]
  }
}
