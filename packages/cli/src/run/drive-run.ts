/**
 * Owns one run from its start to the exit code: what is shown, the signals, requests of other processes, questions.
 * Used by every command that runs sessions.
 *
 * 1. The first signal cancels the whole tree and waits for the reports; the second one leaves at once.
 * 2. The last thing on standard output is the report, or the questions, or the error; nothing follows it.
 * 3. Whatever happens, the screen is given back and the sessions are let go of.
 */
import type { CadreEvent, RunResult } from '@cadre/core'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { cleanText } from '../output/clean-text.ts'
import { createStyle, wantsColour } from '../output/style.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from '../runtime/create-runtime.ts'
import { chooseSurface } from './choose-surface.ts'
import { repeatedFlags } from './repeated-flags.ts'
import { takeStopSignals } from './stop-signals.ts'

export interface DriveOptions extends Omit<RuntimeOptions, 'emit' | 'tell' | 'ask' | 'confirmTrust'> {
  readonly json?: boolean | undefined
}

/** `go` starts or continues the run on the runtime it is given. */
export async function driveRun(
  options: DriveOptions,
  go: (runtime: Runtime, signal: AbortSignal) => Promise<RunResult>,
): Promise<ExitCode> {
  const { io, json = false } = options
  const flags = repeatedFlags(options)
  const style = createStyle(wantsColour(io.stdout, io.env))
  const surface = await chooseSurface(io, style, json)
  const stop = new AbortController()
  const undo: (() => void | Promise<void>)[] = [() => surface.end()]
  let root: string | undefined
  let runtime: Runtime | undefined

  const leave = () => process.exit(exitCodes.cancelled)
  const interrupt = () => {
    if (stop.signal.aborted) return leave()
    const later = root === undefined ? '' : ` Continue later with: cadre resume ${root}${flags}`
    surface.say(`Stopping all sessions; once more leaves at once.${later}`, 'stopping')
    stop.abort()
  }
  const emit = (event: CadreEvent) => {
    if (root === undefined && event.type === 'session.started') {
      root = event.session
      // Not before: a run that cannot start must not leave anything on disk.
      if (runtime !== undefined) undo.push(runtime.watchRequests())
    }
    surface.event(event)
  }

  // Through the surface: whatever else writes to the terminal would stand in the middle of the tree.
  const tell = (message: string) => surface.say(`cadre: ${cleanText(message)}`)
  const personAt = async () => {
    const [{ createAskPerson }, { createConfirmTrust }] = await Promise.all([
      import('./ask-person.ts'),
      import('./confirm-trust.ts'),
    ])
    return {
      ask: createAskPerson({ io, style, surface, interrupt }),
      confirmTrust: createConfirmTrust(io, style, { signal: stop.signal, interrupt }),
    }
  }

  try {
    undo.push(takeStopSignals(interrupt, leave), keepAlive())
    const person = io.stdin.isTTY === true && io.stdout.isTTY && !json
    runtime = await createRuntime({ ...options, emit, tell, ...(person && (await personAt())) })
    undo.push(runtime.close)
    for (const { message } of runtime.notices) tell(message)
    const result = await go(runtime, stop.signal)
    const { showEnding } = await import('./show-ending.ts')
    await surface.end()
    return await showEnding(result, runtime, { io, style, json, flags })
  } finally {
    for (const step of undo.reverse()) await step()
  }
}

/** Time limits do not keep the process alive, and neither does every model that is asked; this does. */
function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30)
  return () => clearInterval(timer)
}
