import type { ChannelContext, ChannelFactories, Happening } from '@cadre/channels'
import type { CadreEvent } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import type { Listen } from './channels.ts'
import type { DaemonRuntime, HomeGit, Outside } from './daemon-runtime.ts'
import type { DaemonStatus } from './daemon-status.ts'

export interface DaemonOptions {
  readonly home: Home
  /** Puts together what sessions are run with. Called once, when the home is owned. */
  readonly open: (outside: Outside) => Promise<DaemonRuntime>
  /** `ready` settles when the daemon is under way, or has ended: what takes long waits for it. */
  readonly git?: (tell: (message: string) => void, ready: Promise<void>) => Promise<HomeGit>
  /** Asked before anything is done about files of the home. Default: it may. */
  readonly mayAct?: (() => boolean) | undefined
  /** Duties beyond the daemon's own: tasks, inbox, mailboxes, chat logs. */
  readonly duties?: (context: DaemonContext) => readonly Duty[]
  readonly channels?: ChannelFactories
  readonly receive?: ChannelContext['receive']
  readonly listen?: Listen
  /** Puts right what an earlier process has left half done. */
  readonly repair?: () => Promise<void>
  readonly environment?: ChannelContext['environment']
  /** Sees what happens, beside the log. */
  readonly happened?: (happening: Happening) => void
  readonly tell?: (message: string) => void
  /** Sees every event of every session. */
  readonly emit?: (event: CadreEvent) => void
  /** How long sessions have to come to rest when it stops. */
  readonly patienceMs?: number
  readonly lookMs?: number
}

export interface Daemon {
  /** Resolves when everything that was left undone is under way, and changes are seen. Rejects with a `CadreError`. */
  start(): Promise<void>
  /** Brings everything to rest and puts it in order. Safe to call at any time, and more than once. */
  stop(): Promise<void>
  status(): DaemonStatus
  /** Resolves when it has to stop: somebody asks it to through the home, or the home was lost to another process. */
  readonly asked: Promise<'asked' | 'lost'>
  /** Resolves when nothing is being done about what was seen so far. For tests. */
  idle(): Promise<void>
}
