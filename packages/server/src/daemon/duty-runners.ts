import type { Duty } from '../duty.ts'
import type { DutyRunner } from './duty-runner.ts'

/** The running duties, in start order. */
export class DutyRunners {
  readonly #start: (duty: Duty) => DutyRunner
  readonly #runners = new Map<Duty, DutyRunner>()

  constructor(start: (duty: Duty) => DutyRunner) {
    this.#start = start
  }

  /** Starts a duty, unless it is running. Resolves when its `start` has finished. */
  async run(duty: Duty): Promise<void> {
    this.runAll([duty])
    await this.#runners.get(duty)?.idle()
  }

  /** Starts all duties that are not running, without waiting. */
  runAll(duties: readonly Duty[]): void {
    for (const duty of duties) if (!this.#runners.has(duty)) this.#runners.set(duty, this.#start(duty))
  }

  /** Reports a file to one duty, as if it had changed. */
  wake(duty: Duty, file: string): void {
    this.#runners.get(duty)?.changed([file])
  }

  /** Reports changed files to the duties that watch this folder, or to all duties. */
  changed(files: readonly string[], folder?: string): void {
    for (const [duty, runner] of this.#runners)
      if (folder === undefined || duty.folders.includes(folder)) runner.changed(files)
  }

  tick(now: number): void {
    for (const runner of this.#runners.values()) runner.tick(now)
  }

  restart(): void {
    for (const runner of this.#runners.values()) runner.restart()
  }

  async idle(): Promise<void> {
    for (const runner of this.#runners.values()) await runner.idle()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
  }
}
