import type { Duty } from '../duty.ts'
import type { DutyRunner } from './duty-runner.ts'

/** The duties that run, in the order in which they were started. */
export class DutyRunners {
  readonly #start: (duty: Duty) => DutyRunner
  readonly #runners = new Map<Duty, DutyRunner>()

  constructor(start: (duty: Duty) => DutyRunner) {
    this.#start = start
  }

  /** Starts a duty that does not run yet. Resolves when it has looked at everything there is. */
  async run(duty: Duty): Promise<void> {
    this.runAll([duty])
    await this.#runners.get(duty)?.idle()
  }

  /** Starts those that do not run yet, without waiting for them. */
  runAll(duties: readonly Duty[]): void {
    for (const duty of duties) if (!this.#runners.has(duty)) this.#runners.set(duty, this.#start(duty))
  }

  /** Tells one duty of a file, as if it had changed. */
  wake(duty: Duty, file: string): void {
    this.#runners.get(duty)?.changed([file])
  }

  /** Tells the duties that watch this folder; without a folder, all of them. */
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
