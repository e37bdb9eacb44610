/**
 * Owns the life cycle of a daemon, from taking the lease of its home to releasing it. One per home.
 *
 * 1. Nothing is done before the lease is held, and the lease is released last.
 * 2. A failing file, duty or channel is reported as a problem, and never stops the others.
 * 3. A daemon that was suspended for too long and lost its home to another one does not touch it, and ends.
 * 4. It can be interrupted at any time: the files on disk are sufficient to continue.
 */
import { existsSync } from 'node:fs'
import type { RecordEvent } from '@cadre/channels'
import { CadreError, messageOf, sentenceOf } from '@cadre/core'
import { type Home, isHandWritten, wasEditedByCadre, watchRequests } from '@cadre/home'
import { watchHome } from '../watch/watch-home.ts'
import { buildDuties, type Duties } from './build-duties.ts'
import type { Daemon, DaemonOptions } from './daemon.ts'
import { DaemonBase } from './daemon-base.ts'
import type { DaemonRuntime } from './daemon-runtime.ts'
import { runDuty } from './duty-runner.ts'
import { DutyRunners } from './duty-runners.ts'
import { Generations } from './generations.ts'
import { Ownership } from './ownership.ts'
import { watchStopRequests } from './watch-stop-requests.ts'

const second = 1000
const defaults = { settleMs: 50, shutdownMs: 30_000 }
/** How long the daemon waits for model replies when it stops, in milliseconds. Running tools have more time. */
const answerMs = 3_000

export function createDaemon(options: DaemonOptions): Daemon {
  const base = new DaemonBase(options)
  const { mayAct = () => true } = options
  let isReady = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  let askStop: (why: 'asked' | 'lost') => void = () => {}
  const asked = new Promise<'asked' | 'lost'>((resolve) => {
    askStop = resolve
  })
  const runners = new DutyRunners((duty) =>
    runDuty(duty, base.problems, {
      failed: base.trouble,
      mayRun: () => base.ownership?.isHeld() === true && mayAct(),
    }),
  )
  /** Cleanup functions of the start phases, in order. */
  const undo: (() => void | Promise<void>)[] = []
  let duties: Duties | undefined
  let isReadyToCommit = true
  let stopping: Promise<void> | undefined

  const start = async () => {
    own()
    const runtime = await openRuntime()
    const generations = await loadConfiguration(runtime)
    duties = buildDuties(base, runtime, generations, runners)
    await watchFiles(duties, generations)
    await resumeSessions(duties, generations)
    await openToOutside(duties, generations)
    const clockwork = setInterval(() => tick(runtime, generations), second)
    undo.push(() => clearInterval(clockwork))
    base.state = 'running'
    base.publisher.now()
    isReady()
  }

  const own = () => {
    const { home } = options
    if (!existsSync(home.path))
      throw new CadreError(
        'configuration',
        'there is no home directory here. Create one with "cadre init --team NAME", or specify one with --home.',
        { where: home.path },
      )
    const ownership = new Ownership(home, base.since, () => {
      base.publisher.stop()
      askStop('lost')
    })
    base.ownership = ownership
    undo.push(() => ownership.release())
  }

  const openRuntime = async () => {
    const runtime = await options.open({
      emit(event) {
        duties?.keeper.observe(event)
        duties?.page?.take(event)
        options.emit?.(event)
        if (event.type === 'session.started' || event.type === 'session.ended') base.publisher.changed()
      },
      tell: base.tell,
      shouldRetry: base.trouble,
      auditFailed: (why) => base.report('audit', 'events', why),
    })
    base.runtime = runtime
    undo.push(() => runtime.close?.())
    undo.push(() => runtime.audit.close())
    // Running sessions still write to their journals.
    undo.push(() => (isReadyToCommit ? runtime.engine.close() : undefined))
    base.openGit(ready)
    undo.push(async () => {
      if (base.isLost) return
      await base.git.flush()
      await base.git.close()
    })
    const message = `The daemon started in ${runtime.workspace}`
    base.note({ type: 'daemon.started', message, pid: process.pid })
    return runtime
  }

  const loadConfiguration = async (runtime: DaemonRuntime) => {
    const generations = new Generations({
      runtime,
      note: base.note,
      problems: base.problems,
      hold: async () => duties?.keeper.hold(true),
      release: () => duties?.keeper.release(),
      async changed() {
        base.publisher.changed()
        runners.changed(['config.yaml'])
        await duties?.channels.configure(generations.current.parts.channels)
      },
    })
    base.generations = generations
    undo.push(() => generations.close())
    await generations.begin()
    return generations
  }

  const watchFiles = async ({ all }: Duties, generations: Generations) => {
    const { home, scanMs } = options
    const { settings } = generations.current.parts
    const handEdits = noteHandEdits(home, base.note)
    const watching = watchHome({
      home,
      folders: [...new Set(['.', ...all.flatMap(({ folders }) => folders)])],
      settleMs: settings.settle_ms ?? defaults.settleMs,
      ...(scanMs !== undefined && { scanMs }),
      changed(folder, files) {
        handEdits(files)
        runners.changed(files, folder)
        if (folder === '.' || folder === 'storage') void checkConfiguration(generations)
      },
      failed(folder, why) {
        const message = `Cadre checks this folder every second, because it cannot watch it: ${why}`
        base.report('watch', folder, why === undefined ? undefined : message, 'warning')
      },
    })
    undo.push(() => watching.stop())
    for (const { folders } of all) for (const folder of folders) home.folder(...folder.split('/'))
    await watching.start()
  }

  const checkConfiguration = async (generations: Generations) => {
    if (!mayAct()) return
    try {
      await generations.check()
      base.report('configuration', '[daemon]', undefined)
    } catch (error) {
      base.report('configuration', '[daemon]', base.trouble(error) ? undefined : messageOf(error))
    }
  }

  /** No session resumes before removed agents are known. */
  const resumeSessions = async ({ keeper, sessions, agents, all }: Duties, generations: Generations) => {
    await keeper.hold(false)
    keeper.restore()
    await runners.run(sessions)
    await runners.run(agents)
    keeper.release()
    runners.runAll(all)
    base.recovered = () => {
      base.publisher.changed()
      void keeper.recover().catch(base.trouble)
      runners.restart()
      void repair()
      if (base.git.missing !== undefined) base.openGit(ready)
    }
    await repair()
    undo.push(() => runners.stop())
    undo.push(async () => {
      keeper.clear()
      const limit = AbortSignal.timeout(options.shutdownMs ?? defaults.shutdownMs)
      const breakOff = setTimeout(() => generations.current.orchestrator.pause({ breaksOff: true }), answerMs)
      await keeper.hold(true, limit)
      clearTimeout(breakOff)
      isReadyToCommit = keeper.counts().running.length === 0
    })
    await runners.idle()
  }

  const repair = async () => {
    try {
      await options.repair?.()
      base.report('repair', '[outbox]', undefined)
    } catch (error) {
      if (!base.trouble(error)) base.report('repair', '[outbox]', messageOf(error))
    }
  }

  const openToOutside = async ({ channels, keeper }: Duties, generations: Generations) => {
    await channels.configure(generations.current.parts.channels)
    undo.push(() => channels.stop())
    const requests = watchRequests({
      home: options.home,
      since: performance.timeOrigin,
      // A pull can add request files too.
      cancel: (session) =>
        mayAct() &&
        (generations.current.orchestrator.cancel(session) || keeper.cancelElsewhere?.(session) === true),
    })
    undo.push(() => requests.close())
    undo.push(watchStopRequests(options.home, { mayAct, ask: () => askStop('asked') }))
  }

  const tick = ({ clock }: DaemonRuntime, generations: Generations) => {
    if (base.ownership?.isHeld() !== true) return
    base.health.look()
    base.report('git', '.git', base.git.failing, 'warning')
    runners.tick(clock.now())
    void checkConfiguration(generations)
  }

  const end = async () => {
    const wasRunning = base.state === 'running'
    base.state = 'stopping'
    if (!base.isLost) base.publisher.changed()
    if (wasRunning) base.note({ type: 'daemon.stopped', message: 'The daemon is stopping.' })
    isReady()
    const release = undo.shift()
    for (const step of undo.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        base.tell(`while stopping: ${sentenceOf(error)}`)
      }
    }
    base.state = 'stopped'
    base.publisher.stop()
    if (release !== undefined && !base.isLost) base.publisher.now()
    await release?.()
  }
  return {
    async start() {
      try {
        await start()
      } catch (error) {
        await end()
        throw error
      }
    },
    stop() {
      stopping ??= end()
      return stopping
    },
    status: () => base.status(),
    asked,
    idle: () => runners.idle(),
  }
}

/** Notes changes by people, so that they are committed under their name. */
function noteHandEdits(home: Home, note: RecordEvent): (files: readonly string[]) => void {
  return (files) => {
    for (const file of files)
      if (isHandWritten(file) && !wasEditedByCadre(home, file))
        note({ type: 'file.edited', message: `edited by hand: ${file}`, file })
  }
}
