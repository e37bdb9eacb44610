import { CadreError, type Engine, type JsonObject, type Models, type Notice } from '@cadre/core'
import type { Environment } from '../environment.ts'
import { type ControlFlags, controlsOf, type GateFlags } from '../gate-flags.ts'
import { loadParts } from '../load-parts.ts'
import { orchestrate } from '../orchestrate.ts'
import { type Explanation, explanationOf } from './explanation.ts'
import { findChain } from './find-chain.ts'
import type { Depth } from './read-depth.ts'

/** Includes the flags of a run, because they can change decisions. */
export interface ExplainerOptions extends GateFlags, ControlFlags {
  readonly home?: string | undefined
  readonly team?: string | undefined
  readonly workspace: string
  readonly trust?: boolean | undefined
  /** Default: the entry agent. */
  readonly agent?: string | undefined
  readonly depth?: Depth | undefined
}

/** Explains decisions about calls of one agent at one place in a tree. */
export interface Explainer {
  /** Notices about the parts, as before a run. */
  readonly notices: readonly Notice[]
  explain(tool: string, input: JsonObject): Promise<Explanation>
}

/**
 * Assembles the parts of a run without journal, model and hooks, so that nothing is run, asked or written. Rejects where a
 * run would, except for what a policy forbids, which is an ordinary decision.
 */
export async function createExplainer(io: Environment, options: ExplainerOptions): Promise<Explainer> {
  const { agent, depth, workspace } = options
  try {
    const parts = await loadParts(io, { ...options, depth: undefined, targets: namesIn(options) })
    const found = await findChain(parts, { agent, depth })
    const { notices } = parts
    if (found.kind === 'none') {
      const { reason } = found
      const verdict = { kind: 'deny', by: 'role', rule: 'delegation', reason } as const
      return { notices, explain: async () => explanationOf(verdict, [found.agent.name]) }
    }
    const { chain } = found
    let hooks: readonly string[] = []
    const orchestrator = orchestrate(parts, {
      engine: noEngine,
      models: anyModel,
      emit: () => {},
      controls: controlsOf(options, parts),
      listHooks: (names) => {
        hooks = [...hooks, ...names]
      },
    })
    return {
      notices,
      async explain(tool, input) {
        hooks = []
        const request = { chain, tool, input, workspace }
        const { verdict, session } = await orchestrator.explain(request, new AbortController().signal)
        return explanationOf(verdict, session.chain, hooks)
      },
    }
  } catch (error) {
    if (!(error instanceof CadreError) || error.code !== 'policy') throw error
    const verdict = { kind: 'deny', by: 'policy', rule: 'agent', reason: error.message } as const
    return {
      notices: [],
      explain: async () => explanationOf(verdict, agent === undefined ? [] : [agent]),
    }
  }
}

/** The required agents: a built-in one includes its team. */
function namesIn({ agent, depth }: ExplainerOptions): readonly string[] | undefined {
  if (agent === undefined) return undefined
  return depth?.kind === 'below' ? [...depth.names, agent] : [agent]
}

/** The model does not affect a decision, and rules can be inspected without a key. */
const anyModel: Models = {
  resolve: async (name) => ({ kind: 'found', model: { id: name ?? 'default', reply: neverRun } }),
}

const noEngine: Engine = { attach: () => {}, open: neverRun, read: neverRun }

function neverRun(): never {
  throw new Error('unreachable: a session or model was used to explain a decision')
}
