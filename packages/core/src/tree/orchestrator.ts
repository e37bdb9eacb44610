import { Accounts } from '../budget/accounts.ts'
import type { StoredSession } from '../ports/engine.ts'
import { CadreError } from '../ports/errors.ts'
import { defaultLimits, withinCeilings } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import { applyCeilings, type SessionSpec } from '../ports/session-spec.ts'
import { createGate } from '../rules/create-gate.ts'
import { engineRules } from '../rules/rules.ts'
import { requireOutput } from '../schema/require-output.ts'
import { compactSession } from '../session/compact-session.ts'
import type { SessionHost } from '../session/open-session.ts'
import { runSession } from '../session/run-session.ts'
import { requireSections } from '../session/sections.ts'
import { continueRun } from './continue-run.ts'
import { explainCall } from './explain.ts'
import { findEntryAgent } from './find-entry-agent.ts'
import { MessageQueues } from './message-queues.ts'
import { numberEvents } from './number-events.ts'
import type { Orchestrator, OrchestratorOptions } from './orchestrator-contract.ts'
import { RunRegistry } from './run-registry.ts'
import { type RunTree, runTree } from './run-tree.ts'
import { SharedLimits } from './shared-limits.ts'
import { startRun } from './start-run.ts'
import { Tree } from './tree.ts'

/** Creates an orchestrator, which runs trees of sessions. It reaches everything outside of core through `ports`. */
export function createOrchestrator(ports: Ports, options: OrchestratorOptions = {}): Orchestrator {
  const { ceilings = {} } = options
  const limits = withinCeilings({ ...defaultLimits, ...options.limits }, ceilings)
  const limitsOf = (spec: SessionSpec) => withinCeilings({ ...limits, ...spec.limits.run }, ceilings)
  let isPausing = false
  const runs = new RunRegistry((spec) => {
    const tree = new Tree(limitsOf(spec), ports.clock)
    if (isPausing) tree.pause(false)
    return tree
  })
  const treeOf = (spec: SessionSpec): Tree => runs.tree(spec)
  const budgetOf = (spec: SessionSpec) => (runs.known(spec.root)?.limits ?? limitsOf(spec)).budget
  const accounts = new Accounts(ports.engine, budgetOf)
  const emit = numberEvents(ports)
  const shared = new SharedLimits(ports, (root, notice) => emit(root, { type: 'notice.added', notice }))
  const messages = new MessageQueues()
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
      runs.continues(spec) || (state.ended?.status === 'cancelled' && state.cancelledBy === 'run'),
    updates: (spec) => runs.takeUpdates(spec),
    messages: (session) => messages.take(session),
    hasMessages: (session) => messages.has(session),
  }
  const runLoop = (spec: SessionSpec) =>
    runSession(applyCeilings(spec, ceilings), host).finally(() => messages.drop(spec.id))
  ports.engine.attach(runLoop)
  const run: RunTree = (spec, signal) =>
    runTree(spec, { tree: treeOf(spec), accounts, shared, run: runLoop }, signal)

  async function requireStored(id: string): Promise<StoredSession> {
    const stored = await ports.engine.read(id)
    if (stored === undefined) throw new CadreError('not_found', `there is no session ${id}.`)
    return stored
  }

  return {
    async start(request, signal) {
      const agent = findEntryAgent(request.agent, ports.agents)
      const id = request.id ?? ports.ids.session(agent.name)
      return runs.own(id, () =>
        startRun({ id, agent, request }, { ports, limits, accounts, emit, run }, signal),
      )
    },
    async resume(id, options, signal) {
      const stored = await requireStored(id)
      return runs.own(stored.spec.root, (owned) =>
        continueRun({ owned, stored, options }, { ports, limits, run }, signal),
      )
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
      const recorded = messages.add(session, work)
      node.notifyMessage()
      return recorded
    },
    interrupt: (session) => runs.find(session)?.interruptReply() ?? false,
    async compact(id, signal) {
      const { spec } = await requireStored(id)
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
}
