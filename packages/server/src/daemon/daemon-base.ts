/** The state that a daemon has from start to end, even without owning the home: its problems, notes and published status. */
import { hostname } from 'node:os'
import type { DaemonEvent, Problems, RecordEvent } from '@cadre/channels'
import { sentenceOf } from '@cadre/core'
import { isOutOfFileDescriptors } from '@cadre/disk'
import { createProblems } from './create-problems.ts'
import type { DaemonOptions } from './daemon.ts'
import type { DaemonRuntime } from './daemon-runtime.ts'
import type { DaemonStatus } from './daemon-status.ts'
import { DeferredGit } from './deferred-git.ts'
import type { Generations } from './generations.ts'
import { type HomeHealth, watchHealth } from './home-health.ts'
import type { Ownership } from './ownership.ts'
import { publishStatus, type StatusPublisher } from './publish-status.ts'

type Work = Pick<DaemonStatus, 'sessions' | 'approvals' | 'counts' | 'channels' | 'address' | 'page'>

const noWork: Work = {
  sessions: { running: [], queued: [], waiting: [] },
  approvals: [],
  counts: {},
  channels: [],
}

export class DaemonBase {
  readonly options: DaemonOptions
  readonly since = new Date().toISOString()
  readonly git = new DeferredGit(() => this.publisher.changed())
  readonly problems: Problems
  readonly publisher: StatusPublisher
  readonly health: HomeHealth
  state: DaemonStatus['state'] = 'starting'
  /** Set while the daemon starts, and read by the status. */
  ownership?: Ownership
  runtime?: DaemonRuntime
  generations?: Generations
  describeWork: () => Work = () => noWork
  /** Called when the home is writable again. */
  recovered: () => void = () => {}
  problemsChanged: () => void = () => {}

  constructor(options: DaemonOptions) {
    this.options = options
    const { home } = options
    this.publisher = publishStatus(
      home,
      () => this.status(),
      (error) => this.#statusFailed(error),
    )
    this.problems = createProblems(this.note, () => {
      this.publisher.changed()
      this.problemsChanged()
    })
    this.health = watchHealth({ home, problems: this.problems, recovered: () => this.recovered() })
  }

  readonly note: RecordEvent = (happening: DaemonEvent) => {
    const { runtime, options } = this
    runtime?.audit.append({ at: new Date(runtime.clock.now()).toISOString(), ...happening })
    if (!this.isLost) this.git.note(happening.message)
    options.happened?.(happening)
    this.publisher.changed()
  }

  readonly tell = (message: string): void => {
    this.options.tell?.(message)
  }

  /** Returns whether an error comes from the system, so that the work can be retried unchanged. */
  readonly trouble = (error: unknown): boolean => {
    if (isOutOfFileDescriptors(error)) this.runtime?.engine.freeDescriptors()
    return this.state !== 'stopping' && this.health.suspect(error)
  }

  get isLost(): boolean {
    return this.ownership?.isLost === true
  }

  /** Sets or clears the problem of a part of the daemon. */
  report(
    about: string,
    file: string,
    message: string | undefined,
    severity: 'error' | 'warning' = 'error',
  ): void {
    this.problems.report(about, file, message === undefined ? [] : [{ severity, message }])
  }

  openGit(ready: Promise<void>): void {
    const open = this.options.git
    if (open !== undefined) this.git.open(() => open(this.tell, ready))
  }

  status(): DaemonStatus {
    return {
      state: this.state,
      pid: process.pid,
      host: hostname(),
      since: this.since,
      updated: new Date().toISOString(),
      workspace: this.runtime?.workspace ?? '',
      ...this.describeWork(),
      problems: this.problems.list(),
      ...(this.git.missing !== undefined && { gitMissing: this.git.missing }),
      ...(this.generations?.isPending && { configurationPending: true }),
    }
  }

  #statusFailed(error: unknown): void {
    const isProblem = error !== undefined && !this.trouble(error)
    this.report(
      'status',
      'storage/daemon.json',
      isProblem ? `Cannot write the status: ${sentenceOf(error)}` : undefined,
    )
  }
}
