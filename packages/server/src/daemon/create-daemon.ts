/**
 * Owns the life of a daemon: one per home, from the lease to its release.
 *
 * 1. Nothing is done before the lease is held, and the lease is given up last.
 * 2. A file, a duty or a channel that fails is a problem, and never stops the others.
 * 3. A daemon that has lost its home to another one, because it stood still for too long, leaves it alone and ends.
 * 4. Everything it does can be broken off at any time: what is on disk is enough to go on.
 */
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { CadreError, messageOf } from '@cadre/core'
import { isOutOfFiles, watchRequests } from '@cadre/files'
import { approvalJson } from '@cadre/gate'
import { createAgentsDuty } from '../agents/agents-duty.ts'
import { createApprovalsDuty } from '../approvals/approvals-duty.ts'
import type { ChannelContext } from '../channel.ts'
import { createCheckInsDuty } from '../check-ins/check-ins-duty.ts'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import type { Happening } from '../happening.ts'
import { createSessionKeeper, type Keeper } from '../sessions/create-session-keeper.ts'
import { createSessionsDuty } from '../sessions/sessions-duty.ts'
import { watchHome } from '../watch/watch-home.ts'
import { Channels } from './channels.ts'
import { countsOf } from './counts-of.ts'
import { createProblems } from './create-problems.ts'
import type { Daemon, DaemonOptions } from './daemon.ts'
import type { DaemonRuntime } from './daemon-runtime.ts'
import type { DaemonStatus } from './daemon-status.ts'
import { type DutyRunner, runDuty } from './duty-runner.ts'
import { Generations } from './generations.ts'
import { watchHealth } from './home-health.ts'
import { LateGit } from './late-git.ts'
import { noteHandEdits } from './note-hand-edits.ts'
import { ownHome } from './own-home.ts'
import { publishStatus } from './publish-status.ts'
import { watchStop } from './watch-stop.ts'

const second = 1000
/** For so long it is believed to own the home before it looks again. */
const ownershipMs = 250
const defaults = { parallel: 8, settleMs: 50, patienceMs: 30_000 }
/** For so long the answer of a model is waited for when it stops. What agents do meanwhile has longer to end. */
const answerMs = 3_000

export function createDaemon(options: DaemonOptions): Daemon {
  const { home, mayAct = () => true } = options
  const since = new Date().toISOString()
  const undo: (() => void | Promise<void>)[] = []
  let runtime: DaemonRuntime | undefined
  const git = new LateGit(() => publisher.changed())
  let isReady = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  let state: DaemonStatus['state'] = 'starting'
  let isAtRest = true
  let stopping: Promise<void> | undefined
  let isLost = false
  let askStop: (why: 'asked' | 'lost') => void = () => {}
  const asked = new Promise<'asked' | 'lost'>((resolve) => {
    askStop = resolve
  })
  let view:
    | (() => Pick<DaemonStatus, 'sessions' | 'approvals' | 'counts' | 'channels' | 'address'>)
    | undefined
  let generations: Generations | undefined
  let runners: readonly DutyRunner[] = []

  const status = (): DaemonStatus => ({
    state,
    pid: process.pid,
    host: hostname(),
    since,
    updated: new Date().toISOString(),
    workspace: runtime?.workspace ?? '',
    ...(view?.() ?? {
      sessions: { running: [], queued: [], waiting: [] },
      approvals: [],
      counts: {},
      channels: [],
    }),
    problems: problems.list(),
    ...(git.missing !== undefined && { gitMissing: git.missing }),
    ...(generations?.isPending && { configurationPending: true }),
  })
  const publisher = publishStatus(home, status, (error) => {
    const isProblem = error !== undefined && !trouble(error)
    const message = `the status cannot be written: ${messageOf(error)}`
    problems.report('status', 'storage/daemon.json', isProblem ? [{ severity: 'error', message }] : [])
  })
  const note = (happening: Happening) => {
    runtime?.audit.append({ at: new Date(runtime.clock.now()).toISOString(), ...happening })
    if (!isLost) git.note(happening.message)
    options.happened?.(happening)
    publisher.changed()
  }
  const problems = createProblems(note, () => publisher.changed())
  const tell = (message: string) => options.tell?.(message)
  let recovered = () => {}
  const health = watchHealth({ home, problems, recovered: () => recovered() })
  const trouble = (error: unknown) => {
    if (isOutOfFiles(error)) runtime?.engine.giveWay()
    return state !== 'stopping' && health.suspect(error)
  }

  const begin = async () => {
    if (!existsSync(home.path))
      throw new CadreError(
        'configuration',
        'there is no home here; `cadre init --team NAME` makes one, or name it with --home',
        {
          where: home.path,
        },
      )
    const lease = ownHome(home, since)
    undo.push(() => lease.release())
    let lookedAt = performance.now()
    /** Whoever stood still for long was taken for dead: the home is another's by now. */
    const owns = () => {
      const now = performance.now()
      if (isLost || now - lookedAt < ownershipMs) return !isLost
      lookedAt = now
      isLost = !lease.isHeld()
      if (!isLost) return true
      publisher.stop()
      askStop('lost')
      return false
    }
    let keeper: Keeper | undefined
    runtime = await options.open({
      emit(event) {
        keeper?.observe(event)
        options.emit?.(event)
        if (event.type === 'session.started' || event.type === 'session.ended') publisher.changed()
      },
      tell,
      endures: trouble,
      auditFailed: (why) =>
        problems.report('audit', 'events', why === undefined ? [] : [{ severity: 'error', message: why }]),
    })
    const { engine, approvals, audit, clock, workspace } = runtime
    undo.push(() => audit.close())
    undo.push(() => (isAtRest ? engine.close() : undefined))
    const openGit = () => {
      const open = options.git
      if (open !== undefined) git.open(() => open(tell, ready))
    }
    openGit()
    undo.push(async () => {
      if (isLost) return
      await git.flush()
      await git.close()
    })
    note({ type: 'daemon.started', message: `the daemon has started in ${workspace}`, pid: process.pid })
    const changes = new Generations({
      runtime,
      note,
      problems,
      hold: () => kept.hold(true),
      release: () => kept.release(),
      changed: async () => {
        publisher.changed()
        for (const runner of runners) runner.changed(['config.yaml'])
        await channels.configure(changes.current.parts.channels)
      },
    })
    generations = changes
    await changes.begin()
    const { settings } = changes.current.parts
    const runnersByDuty = new Map<Duty, DutyRunner>()
    const wake = (duty: Duty, file: string) => runnersByDuty.get(duty)?.changed([file])
    const parallel = () => changes.current.parts.settings.parallel ?? defaults.parallel
    const kept = createSessionKeeper({
      home,
      engine,
      workspace,
      trusted: runtime.trusted === true,
      parallel,
      trouble,
      parts: () => changes.current,
      note,
      problems,
      rested: (ids) => {
        publisher.changed()
        sessionsDuty.rested(ids)
      },
    })
    keeper = kept
    const context = {
      home,
      workspace,
      agents: {
        get: (name: string) => changes.current.parts.agents.get(name),
        list: () => changes.current.parts.agents.list(),
      },
      engine,
      sessions: kept,
      note,
      problems,
      clock,
      parallel,
    } satisfies DaemonContext
    const sessionsDuty = createSessionsDuty(context, {
      asks(ids) {
        approvalsDuty.asks(ids)
        wake(approvalsDuty, 'tasks/approvals.task.md')
      },
    })
    const channels = new Channels({
      factories: options.channels ?? {},
      listen: options.listen,
      settings: () => changes.current.parts.settings,
      problems,
      context: (name, settingsOf, onPost): ChannelContext => ({
        home,
        settings: settingsOf,
        environment: options.environment ?? {},
        receive:
          options.receive ??
          (() => Promise.reject(new Error(`unreachable: nothing takes in what ${name} brings`))),
        approvals: async () => approvalsDuty.open(),
        async decide(id, answer) {
          const counted = await approvalsDuty.decide(id, answer)
          wake(approvalsDuty, 'tasks/approvals.task.md')
          return counted
        },
        onPost,
        note,
        problems,
      }),
    })
    const approvalsDuty = createApprovalsDuty(context, { approvals, channels: () => channels.list() })
    const agentsDuty = createAgentsDuty(context, {
      registry: () => changes.current.parts.registry,
      *unfinished() {
        for (const [id, { agent }] of sessionsDuty.unfinished())
          if (agent !== undefined) yield [id, agent] as const
        for (const [id, agent] of kept.open()) yield [id, agent] as const
      },
    })
    const others = options.duties?.(context) ?? []
    const checkIns = createCheckInsDuty(context, {
      facts: () => ({
        approvals: approvalsDuty.open().length,
        running: kept.counts().running.length,
        queued: kept.counts().queued.length,
        counts: countsOf(others),
      }),
    })
    const duties: readonly Duty[] = [sessionsDuty, approvalsDuty, agentsDuty, ...others, checkIns]
    view = () => ({
      sessions: {
        ...kept.counts(),
        waiting: [...sessionsDuty.unfinished()].flatMap(([id, { standing }]) =>
          standing === 'asks' ? [id] : [],
        ),
      },
      approvals: approvalsDuty.open().map(approvalJson),
      counts: countsOf(duties),
      channels: channels.list().map(({ name }) => name),
      ...(channels.address !== undefined && { address: channels.address }),
    })
    const handEdits = noteHandEdits(home, note)
    const watching = watchHome({
      home,
      folders: [...new Set(['.', ...duties.flatMap(({ folders }) => folders)])],
      settleMs: settings.settle_ms ?? defaults.settleMs,
      ...(options.lookMs !== undefined && { lookMs: options.lookMs }),
      changed(folder, files) {
        handEdits(files)
        for (const runner of runners) if (runner.duty.folders.includes(folder)) runner.changed(files)
        if (folder === '.' || folder === 'storage') void checkParts()
      },
      failed: (folder, why) => {
        const message = `changes in this folder are only seen when it is looked at, every second: ${why}`
        problems.report('watch', folder, why === undefined ? [] : [{ severity: 'warning', message }])
      },
    })
    undo.push(() => watching.stop())
    const checkParts = async () => {
      if (!mayAct()) return
      await changes.check().then(
        () => problems.report('configuration', '[daemon]', []),
        (error) => {
          const message = messageOf(error)
          problems.report('configuration', '[daemon]', trouble(error) ? [] : [{ severity: 'error', message }])
        },
      )
    }
    for (const { folders } of duties) for (const folder of folders) home.folder(...folder.split('/'))
    await watching.start()
    const run = (duty: Duty) => {
      const runner = runDuty(duty, problems, { failed: trouble, mayRun: () => owns() && mayAct() })
      runnersByDuty.set(duty, runner)
      runners = [...runners, runner]
      return runner
    }
    const repair = async () => {
      try {
        await options.repair?.()
        problems.report('repair', '[outbox]', [])
      } catch (error) {
        if (!trouble(error))
          problems.report('repair', '[outbox]', [{ severity: 'error', message: messageOf(error) }])
      }
    }
    // Nothing goes on before it is known whose agent is gone.
    await kept.hold(false)
    kept.restore()
    await run(sessionsDuty).idle()
    await run(agentsDuty).idle()
    kept.release()
    for (const duty of duties) if (!runnersByDuty.has(duty)) run(duty)
    recovered = () => {
      publisher.changed()
      void kept.recover().catch(trouble)
      for (const runner of runners) runner.restart()
      void repair()
      if (git.missing !== undefined) openGit()
    }
    await repair()
    undo.push(async () => {
      await Promise.all(runners.map((runner) => runner.stop()))
    })
    undo.push(async () => {
      kept.clear()
      const limit = AbortSignal.timeout(options.patienceMs ?? defaults.patienceMs)
      const breakOff = setTimeout(() => changes.current.orchestrator.pause({ breaksOff: true }), answerMs)
      await kept.hold(true, limit)
      clearTimeout(breakOff)
      isAtRest = kept.counts().running.length === 0
    })
    await idle()
    await channels.configure(changes.current.parts.channels)
    undo.push(() => channels.stop())
    const requests = watchRequests({
      home,
      since: performance.timeOrigin,
      // A pull can bring requests, too.
      cancel: (session) => mayAct() && changes.current.orchestrator.cancel(session),
    })
    undo.push(() => requests.close())
    undo.push(watchStop(home, { mayAct, ask: () => askStop('asked') }))
    const clockwork = setInterval(() => {
      if (!owns()) return
      const now = clock.now()
      health.look()
      const unwritten = git.failing
      problems.report(
        'git',
        '.git',
        unwritten === undefined ? [] : [{ severity: 'warning', message: unwritten }],
      )
      for (const runner of runners) runner.tick(now)
      void checkParts()
    }, second)
    undo.push(() => clearInterval(clockwork))
    state = 'running'
    publisher.now()
    isReady()
  }
  const idle = async () => {
    for (const runner of runners) await runner.idle()
  }

  const end = async () => {
    const wasRunning = state === 'running'
    state = 'stopping'
    if (!isLost) publisher.changed()
    if (wasRunning) note({ type: 'daemon.stopped', message: 'the daemon stops' })
    isReady()
    const lease = undo.shift()
    for (const step of undo.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        tell(`while stopping: ${messageOf(error)}`)
      }
    }
    state = 'stopped'
    publisher.stop()
    if (lease !== undefined && !isLost) publisher.now()
    await lease?.()
  }
  return {
    async start() {
      try {
        await begin()
      } catch (error) {
        await end()
        throw error
      }
    },
    stop() {
      stopping ??= end()
      return stopping
    },
    status,
    asked,
    idle,
  }
}
