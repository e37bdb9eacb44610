import type { ChannelContext, ChannelFactories, DaemonEvent } from '@cadre/channels'
import type { CadreEvent } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import type { Keeper, KeeperOptions } from '../sessions/create-session-keeper.ts'
import type { Listen } from './channels.ts'
import type { DaemonRuntime, HomeGit, RuntimeCallbacks } from './daemon-runtime.ts'
import type { DaemonStatus } from './daemon-status.ts'
import type { PageDuty } from './page-duty.ts'
import type { PageParts } from './page-parts.ts'

export interface DaemonOptions {
  readonly home: Home
  /** Creates the runtime. Called once, when the home is owned. */
  readonly open: (outside: RuntimeCallbacks) => Promise<DaemonRuntime>
  /** `ready` settles when the daemon has started or ended. Slow work should wait for it. */
  readonly git?: (tell: (message: string) => void, ready: Promise<void>) => Promise<HomeGit>
  /** Called before the daemon acts on files in the home. Default: always true. */
  readonly mayAct?: (() => boolean) | undefined
  /** Duties beyond the daemon's own: tasks, inbox, mailboxes, chat logs. */
  readonly duties?: (context: DaemonContext) => readonly Duty[]
  readonly channels?: ChannelFactories
  /** Creates the keeper of the sessions. Default: this process runs them. */
  readonly keeper?: (options: KeeperOptions) => Keeper
  readonly receive?: ChannelContext['receive']
  readonly listen?: Listen
  /** Serves the page, once a person asks for it. */
  readonly page?: (parts: PageParts) => PageDuty
  /** Repairs incomplete work of an earlier process. */
  readonly repair?: () => Promise<void>
  readonly environment?: ChannelContext['environment']
  /** Receives every happening, in addition to the log. */
  readonly happened?: (happening: DaemonEvent) => void
  readonly tell?: (message: string) => void
  /** Receives every event of every session. */
  readonly emit?: (event: CadreEvent) => void
  /** How long sessions have to suspend when the daemon stops, in milliseconds. */
  readonly shutdownMs?: number
  readonly scanMs?: number
}

export interface Daemon {
  /** Resolves when unfinished work has been resumed and files are watched. Rejects with a `CadreError`. */
  start(): Promise<void>
  /** Shuts down cleanly. Safe to call at any time, and repeatedly. */
  stop(): Promise<void>
  status(): DaemonStatus
  /** Resolves when the daemon must stop: by a request in the home, or because another process has taken over the home. */
  readonly asked: Promise<'asked' | 'lost'>
  /** Resolves when all changes seen so far are handled. For tests. */
  idle(): Promise<void>
}
