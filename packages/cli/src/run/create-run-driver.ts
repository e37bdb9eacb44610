/**
 * Owns a runtime and its user interface: display, signals, requests of other processes, questions. Used by every command
 * that runs sessions, for one run or several.
 *
 * 1. One piece of work runs at a time. It has its own surface, which has ended when `during` resolves.
 * 2. While work is running, the first signal cancels its whole tree and waits for the reports; the second one exits
 *    immediately. In between, signals are not handled.
 * 3. In any case, the screen is restored, and `close` releases the sessions.
 */
import type { CadreEvent } from '@cadre/core'
import { createRuntime, type Runtime, type RuntimeOptions } from '@cadre/runtime'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { chooseSurface, type SurfaceOptions } from '../output/choose-surface.ts'
import { cleanText } from '../output/clean-text.ts'
import type { Output } from '../output/output.ts'
import { createStyle, type Style, shouldUseColour } from '../output/style.ts'
import type { Surface } from '../output/surface.ts'
import { wrapForTerminal } from '../output/wrap-for-terminal.ts'
import { createNotifier, type Notification } from './create-notifier.ts'
import { handleStopSignals, type StopSignal } from './handle-stop-signals.ts'

export interface RunDriverOptions
  extends Omit<RuntimeOptions, 'environment' | 'onEvent' | 'tell' | 'ask' | 'confirmTrust'>,
    SurfaceOptions {
  readonly io: Io
  /** How to continue, shown when the user stops the run of this session. */
  readonly resumeHint: (root: string) => string
  /** The last words if the user exits immediately, in the middle of the work of this session. */
  readonly farewell?: (root: string | undefined) => string
  /** Receives every event, besides the surface. */
  readonly watch?: (event: CadreEvent) => void
  /** Returns the surface of the next work, if not the default one. */
  readonly surface?: () => Surface | undefined
  /** Returns the code that reads the keyboard while agents work, if any: questions borrow it. */
  readonly keyboard?: () => { lend?: () => Promise<void>; reclaim?: () => void } | undefined
}

export interface RunDriver {
  readonly style: Style
  readonly stdout: Output
  /** The signal that stopped the last work. */
  readonly stoppedBy: StopSignal | undefined
  /** True if a user is present. */
  readonly hasPerson: boolean
  /** Created on first use, during work, because it may ask a question. */
  runtime(): Promise<Runtime>
  /** Shows the progress of `work`, and lets signals stop it. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** After this time the user may be doing something else, in milliseconds. */
const longRunMs = 10_000

/** A piece of work. */
interface Turn {
  readonly surface: Surface
  readonly stop: AbortController
  root?: string
}

export function createRunDriver(options: RunDriverOptions): RunDriver {
  const { io, json = false, quiet = false, resumeHint, watch, keyboard } = options
  const style = createStyle(shouldUseColour(io.stdout, io.env))
  const hasPerson = io.stdin.isTTY === true && io.stdout.isTTY && !json
  const notifier = createNotifier(io)
  const notify = (notification: Notification) => {
    if (!json && !quiet) notifier(runtime?.notify ?? 'auto', notification)
  }
  let turn: Turn | undefined
  let stoppedBy: StopSignal | undefined
  let opened: Promise<Runtime> | undefined
  let runtime: Runtime | undefined
  let stopWatching: (() => void) | undefined

  const leave = (): never => {
    try {
      // In a terminal, this removes the frame without waiting.
      void turn?.surface.end()
      const words = turn && options.farewell?.(turn.root)
      if (words) io.stdout.write(`${wrapForTerminal(io.stdout, words)}\n`)
    } finally {
      process.exit(exitCodes.cancelled)
    }
  }
  const interrupt = (by: StopSignal = 'SIGINT') => {
    if (turn === undefined || turn.stop.signal.aborted) return leave()
    stoppedBy = by
    const later = turn.root === undefined ? '' : ` ${resumeHint(turn.root)}`
    const text = `Stopping all sessions… Press Ctrl-C again to exit immediately.${later}`.trimEnd()
    turn.surface.say(wrapForTerminal(io.stdout, text), 'stopping')
    turn.stop.abort()
  }
  const onEvent = (event: CadreEvent) => {
    if (event.type === 'session.started') {
      // Not earlier: a run that cannot start must leave nothing on disk.
      stopWatching ??= runtime?.watchRequests()
      if (turn !== undefined) turn.root ??= event.session
    }
    if (event.type === 'person.asked') notify({ kind: 'waiting', text: `Decision needed: ${event.text}` })
    watch?.(event)
    turn?.surface.event(event)
  }
  // Through the surface: other output would appear in the middle of the tree.
  const tell = (message: string) => {
    const line = `cadre: ${cleanText(message)}`
    if (turn === undefined) io.stderr.write(`${wrapForTerminal(io.stderr, line)}\n`)
    else turn.surface.say(wrapForTerminal(io.stdout, line))
  }
  const personAt = async () => {
    const [{ createAskPerson }, { createConfirmTrust }, { createElicitFromPerson }] = await Promise.all([
      import('./ask-person.ts'),
      import('./create-confirm-trust.ts'),
      import('./elicit-from-person.ts'),
    ])
    const screen = {
      async lend() {
        turn?.surface.pause()
        await keyboard?.()?.lend?.()
      },
      reclaim() {
        turn?.surface.resume()
        // After the turn there is a prompt, which already has the keyboard.
        if (turn !== undefined) keyboard?.()?.reclaim?.()
      },
    }
    const signal = turn?.stop.signal ?? AbortSignal.abort()
    return {
      ask: createAskPerson({
        io,
        style,
        screen,
        interrupt,
        async preview(session, question) {
          const stored = await runtime?.read(session)
          const { previewQuestion } = await import('@cadre/tools')
          return stored && previewQuestion(stored, question)
        },
      }),
      confirmTrust: createConfirmTrust(io, style, { signal, interrupt }),
      elicit: createElicitFromPerson({ io, style, screen, interrupt }),
    }
  }
  const open = async () => {
    runtime = await createRuntime({
      ...options,
      environment: io,
      onEvent,
      tell,
      ...(hasPerson && (await personAt())),
    })
    for (const { message } of runtime.notices) tell(message)
    return runtime
  }

  return {
    style,
    stdout: io.stdout,
    hasPerson,
    get stoppedBy() {
      return stoppedBy
    },
    runtime() {
      opened ??= open()
      return opened
    },
    async during(work) {
      if (turn !== undefined) throw new Error('unreachable: another turn is still running')
      const mine: Turn = {
        surface: options.surface?.() ?? (await chooseSurface(io, style, options)),
        stop: new AbortController(),
      }
      turn = mine
      stoppedBy = undefined
      const startedAt = performance.now()
      const undo = [handleStopSignals(interrupt, leave), keepAlive()]
      try {
        return await work(mine.stop.signal)
      } finally {
        try {
          await mine.surface.end()
        } finally {
          for (const step of undo) step()
          turn = undefined
          // A user who stopped it is present.
          if (stoppedBy === undefined && performance.now() - startedAt > longRunMs)
            notify({ kind: 'finished', text: 'The run has ended.' })
        }
      }
    },
    async close() {
      const giveBack = handleStopSignals(() => {}, leave)
      try {
        stopWatching?.()
        await runtime?.close()
      } finally {
        giveBack()
      }
    },
  }
}

/** Time limits and some models do not keep the process alive; this does. */
function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30)
  return () => clearInterval(timer)
}
