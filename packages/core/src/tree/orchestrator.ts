import { Accounts } from '../budget/accounts.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { StoredSession } from '../ports/engine.ts'
import { CadreError, Suspended } from '../ports/errors.ts'
import type { CadreEvent, EventBody } from '../ports/events.ts'
import { defaultLimits, type RunLimits, withinCeilings } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import type { Notice, Report } from '../ports/report.ts'
import { applyCeilings, type SessionSpec, type Work } from '../ports/session-spec.ts'
import { createGate } from '../rules/create-gate.ts'
import { engineRules } from '../rules/rules.ts'
import { requireOutput } from '../schema/require-output.ts'
import { compactSession } from '../session/compact-session.ts'
import type { Message, SessionHost } from '../session/open-session.ts'
import { runSession } from '../session/run-session.ts'
import { requireSections } from '../session/sections.ts'
import { foldEntries } from '../session/state.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { buildSessionSpec, buildSpecWithParts } from './build-session-spec.ts'
import { explainCall } from './explain.ts'
import { canChange, isolateExistingSession, isolateSession } from './isolate.ts'
import type { Orchestrator, OrchestratorOptions, ResumeOptions, RunResult } from './orchestrator-contract.ts'
import { type OwnedRun, RunRegistry } from './run-registry.ts'
import { isUnfinished, sessionToResume } from './session-to-resume.ts'
import { SharedLimits } from './shared-limits.ts'
import { startNotices } from './start-notices.ts'
import { type StopReason, Tree } from './tree.ts'

/** Creates an orchestrator, which runs trees of sessions. It reaches everything outside of core through `ports`. */
export function createOrchestrator(ports: Ports, options: OrchestratorOptions = {}): Orchestrator {
  const { ceilings = {} } = options
  const limits = withinCeilings({ ...defaultLimits, ...options.limits }, ceilings)
  const limitsOf = (spec: SessionSpec) => withinCeilings({ ...limits, ...spec.limits.run }, ceilings)
  const runs = new RunRegistry((spec) => {
    const tree = new Tree(limitsOf(spec), ports.clock)
    if (isPausing) tree.pause(false)
    return tree
  })
  const treeOf = (spec: SessionSpec): Tree => runs.tree(spec)
  const messages = new Map<string, Message[]>()
  let isPausing = false
  let seq = 0
  const accounts = new Accounts(ports.engine, (spec) => runLimits(spec).budget)
  const runLimits = (spec: SessionSpec): RunLimits => runs.known(spec.root)?.limits ?? limitsOf(spec)
  const shared = new SharedLimits(ports, (root, notice) => emit(root, { type: 'notice.added', notice }))
  const at = instantWriter()
  // Each body is created for one event, so it can be completed in place.
  const emit = (session: string, body: EventBody) => {
    ports.emit(Object.assign(body, { seq: ++seq, at: at(ports.clock.now()), session }) as CadreEvent)
  }
  const host: SessionHost = {
    ports,
    gate: createGate({
      rules: [...engineRules(treeOf, ports), ...(ports.rules ?? [])],
      reviewers: [requireSections, requireOutput, ...(ports.reviewers ?? [])],
      answerers: ports.answerers,
      requireApprovals: ports.requireApprovals,
    }),
    tree: treeOf,
    account: (spec) => accounts.of(spec),
    emit,
    continues: (spec, state) =>
      runs.runAt(spec)?.continues === true ||
      (state.ended?.status === 'cancelled' && state.cancelledBy === 'run'),
    updates(spec) {
      const run = runs.runAt(spec)
      const news = run?.updates
      if (run !== undefined) run.updates = undefined
      return news
    },
    messages: (session) => takeMessages(session),
    hasMessages: (session) => messages.has(session),
  }
  const takeMessages = (session: string): readonly Message[] => {
    const said = messages.get(session)
    if (said === undefined) return []
    messages.delete(session)
    return said
  }
  const run = (spec: SessionSpec) =>
    runSession(applyCeilings(spec, ceilings), host).finally(() => {
      for (const { settle } of takeMessages(spec.id)) settle(false)
    })
  ports.engine.attach(run)

  /** Runs a session. The caller owns its tree. */
  async function runOwned(spec: SessionSpec, signal: AbortSignal): Promise<RunResult> {
    const stop: StopReason = { kind: 'cancelled', by: 'run' }
    const tree = treeOf(spec)
    const letGo = accounts.hold(spec)
    const onAbort = () => tree.node(spec.id)?.stop(stop)
    const leave = await shared.enter(spec.root, tree, signal)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const running = run(spec)
      // The node exists only now, so check for an earlier abort.
      if (signal.aborted) onAbort()
      if (leave.stopped !== undefined) tree.node(spec.id)?.stop(leave.stopped)
      return { kind: 'report', report: await running }
    } catch (error) {
      if (error instanceof Suspended) return { kind: 'waiting', session: spec.id, questions: error.questions }
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      letGo()
      await leave.give()
    }
  }

  function entryAgent(wanted: string | AgentDefinition): AgentDefinition {
    if (typeof wanted !== 'string') return wanted
    const found = ports.agents.get(wanted)
    if (found?.userInvocable === false) {
      throw new CadreError(
        'usage',
        `users cannot start ${found.name}: its file sets user-invocable to false.`,
      )
    }
    if (found !== undefined) return found
    const names = ports.agents.list().map((agent) => agent.name)
    throw new CadreError(
      'not_found',
      `there is no agent named ${JSON.stringify(wanted)}${didYouMean(wanted, names) || '.'} Known: ${names.join(', ') || 'none'}.`,
    )
  }

  return {
    async start(request, signal) {
      const agent = entryAgent(request.agent)
      const work = workOf(request.work)
      const id = request.id ?? ports.ids.session(agent.name)
      const { workspace, isolation, from, parallel: wanted, charged, ...rest } = request
      const shared = { workspace, ...(isolation && { isolation }) }
      const parallel = wanted === true && canChange(ports, agent)
      return runs.own(id, async () => {
        if (request.id !== undefined) await requireNew(id, ports)
        const payer = charged === undefined ? undefined : await accounts.storedPayer(charged)
        // The person who started the run that caused this one has also started this one.
        const startedBy = payer?.spec.startedBy ?? request.startedBy
        const { spec, notices: ofKnowledge } = await buildSpecWithParts(ports, limits, {
          ...rest,
          startedBy,
          agent,
          work,
          id,
          place: () => isolateSession(ports, { id, root: id, agent, shared, parallel, from }, signal),
          charged: await accounts.payerOf(charged),
          completion: 'text',
        })
        const notices = [...(await startNotices(spec, ports)), ...ofKnowledge]
        for (const notice of notices) emit(spec.id, { type: 'notice.added', notice })
        const result = await runOwned(spec, signal)
        const isFinal = result.kind === 'waiting' || request.plain === false
        if (isFinal || !(await couldNotStart(result.report, ports))) return withNotices(result, notices)
        return withNotices(await answerPlainly(spec, request.workspace, result.report, signal), notices)
      })
    },
    async resume(id, options, signal) {
      const stored = await ports.engine.read(id)
      if (stored === undefined) throw new CadreError('not_found', `there is no session ${id}.`)
      return runs.own(stored.spec.root, (run) => continueRun(run, stored, options, signal))
    },
    async explain(request, signal) {
      try {
        return await explainCall(request, { ports, limits, gate: host.gate }, signal)
      } finally {
        runs.forget('explained')
      }
    },
    cancel(session, { stays = false } = {}) {
      const node = runs.find(session)
      if (node === undefined) return shared.stop(session, { kind: 'cancelled', by: stays ? 'person' : 'run' })
      if (node.isSuspending) return false
      node.stop({ kind: 'cancelled', by: node.isEntry && !stays ? 'run' : 'person' })
      return true
    },
    tell(session, work) {
      const node = runs.find(session)
      if (node === undefined || node.isStopped) return Promise.resolve(false)
      return new Promise((settle) => {
        const waiting = messages.get(session)
        if (waiting === undefined) messages.set(session, [{ work, settle }])
        else waiting.push({ work, settle })
        node.notifyMessage()
      })
    },
    interrupt: (session) => runs.find(session)?.interruptReply() ?? false,
    async compact(id, signal) {
      const stored = await ports.engine.read(id)
      if (stored === undefined) throw new CadreError('not_found', `there is no session ${id}.`)
      const { spec } = stored
      return runs.own(spec.root, async () => {
        const letGo = accounts.hold(spec)
        try {
          return await compactSession(applyCeilings(spec, ceilings), host, signal)
        } finally {
          letGo()
        }
      })
    },
    pause({ root, breaksOff = false } = {}) {
      if (root !== undefined) runs.known(root)?.pause(breaksOff)
      else {
        isPausing = true
        for (const tree of runs.trees()) tree.pause(breaksOff)
      }
      shared.pause(root)
    },
  }

  async function continueRun(
    run: OwnedRun,
    stored: StoredSession,
    { work, openCalls, model, delegation, limits: changed, maxRounds }: ResumeOptions,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const { id, root: rootId } = stored.spec
    const root = rootId === id ? stored : await ports.engine.read(rootId)
    const isBelow = stored.spec.parent !== undefined
    const target = work === undefined && isBelow ? await sessionToResume(stored, root, ports.engine) : stored
    run.session = target.spec.id
    const hasMoreRounds = maxRounds !== undefined && reachedRoundLimit(target)
    const goesOn = work !== undefined || isUnfinished(target) || hasMoreRounds
    const spec = {
      ...(goesOn ? await isolateExistingSession(ports, target.spec, signal) : target.spec),
      ...(model !== undefined && { model: await knownModel(model, ports) }),
      ...(delegation === false && { delegation, targets: [] }),
    }
    if (work !== undefined) run.updates = { work: workOf(work), leavesCalls: openCalls === 'leave' }
    run.continues = goesOn
    const anew = { ...limits, ...root?.spec.limits.run, ...changed, ...(maxRounds && { maxRounds }) }
    const isAsStarted =
      changed === undefined && maxRounds === undefined && (root === undefined || target === root)
    if (isAsStarted) return runOwned(spec, signal)
    const own = { ...spec.limits, ...(maxRounds && { maxRounds }), run: anew }
    return runOwned({ ...spec, limits: own }, signal)
  }

  /**
   * The entry agent ended before its first reply, so the plain model answers instead, without tools or delegation, if it is reached in
   * another way or only tools were missing. Its session has no parent, but belongs to the same tree.
   */
  async function answerPlainly(
    failed: SessionSpec,
    workspace: string,
    report: Report,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const {
      root,
      agent,
      work,
      history,
      controls,
      outputSchema,
      trace,
      startedBy,
      limits: { charged },
    } = failed
    const plain: AgentDefinition = {
      name: 'plain',
      description: 'The model alone, without tools or delegation',
      prompt: '',
      tools: { kind: 'list', names: [] },
      delegates: { kind: 'none' },
      // The limits of the failed agent apply to the plain model, too.
      ...(agent.limits && { limits: agent.limits }),
    }
    const spec = await buildSessionSpec(ports, limits, {
      id: ports.ids.session(plain.name, root),
      root,
      agent: plain,
      work,
      completion: 'text',
      outputSchema,
      // A model that only lacks tools can answer; any other failure may be the model's.
      model: codeOf(report) === 'tools_unsupported' ? failed.model : undefined,
      place: () => ({ workspace }),
      controls,
      charged,
      trace,
      startedBy,
      ...(history && { history }),
    }).catch(() => undefined)
    const result: RunResult = { kind: 'report', report }
    if (spec === undefined) return result
    if (spec.model === report.model && /backend|unknown_model/.test(codeOf(report))) return result
    const why = (report.notices ?? []).map((notice) => notice.message.replace(/\.$/, '')).join('; ')
    const message = `${agent.name} could not start (${why}), so the model answered alone, without tools or delegation`
    const notice = { code: 'agent_execution', message }
    emit(spec.id, { type: 'notice.added', notice })
    const answer = await runOwned(spec, signal)
    const isFailed = answer.kind === 'report' && answer.report.status === 'error'
    return isFailed ? result : withNotices(answer, [notice])
  }
}

/** Formats timestamps. Caches the last one, because many events share a millisecond. */
function instantWriter(): (ms: number) => string {
  let last = Number.NaN
  let written = ''
  return (ms) => {
    if (ms !== last) {
      last = ms
      written = new Date(ms).toISOString()
    }
    return written
  }
}

function workOf(work: Work | string): Work {
  return typeof work === 'string' ? { content: work } : work
}

/** The session ended because it reached its limit on rounds, so that a higher limit continues it. */
function reachedRoundLimit({ entries, spec }: StoredSession): boolean {
  const { ended } = foldEntries(entries, spec.id)
  return ended?.status === 'incomplete' && ended.notices?.at(-1)?.code === 'max_rounds'
}

async function requireNew(id: string, ports: Ports): Promise<void> {
  if ((await ports.engine.read(id)) === undefined) return
  throw new CadreError('usage', `session ${id} already exists. Continue it, or choose another id.`)
}

async function knownModel(name: string, ports: Ports): Promise<string> {
  const found = await ports.models.resolve(name)
  if (found.kind === 'found') return found.model.id
  throw new CadreError(found.code ?? 'unknown_model', found.reason)
}

/** Failures that the plain model may not have. A home that cannot be written is not one of them. */
const plainModelCodes = ['backend', 'unknown_model', 'tools_unsupported', 'agent_execution', 'timeout']

/** The session ended before its model replied. */
async function couldNotStart(report: Report, ports: Ports): Promise<boolean> {
  if (report.status !== 'error' || !plainModelCodes.includes(codeOf(report))) return false
  const stored = await ports.engine.read(report.session)
  return stored === undefined || !stored.entries.some((entry) => entry.role === 'assistant' && !entry.earlier)
}

function codeOf(report: Report): string {
  return report.notices?.at(-1)?.code ?? ''
}

function withNotices(result: RunResult, notices: readonly Notice[]): RunResult {
  if (notices.length === 0 || result.kind === 'waiting') return result
  return {
    kind: 'report',
    report: { ...result.report, notices: [...notices, ...(result.report.notices ?? [])] },
  }
}
