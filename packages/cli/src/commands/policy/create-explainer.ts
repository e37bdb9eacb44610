import { CadreError, type Engine, type JsonObject, type Models, type Notice } from '@cadre/core'
import { type ControlFlags, controlsOf, type GateFlags, loadParts, orchestrate } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import type { Depth } from './depth.ts'
import { type Explanation, explanationOf } from './explanation.ts'
import { findChain } from './find-chain.ts'

/** What a run can be given on the command line counts here as well: it can change what is decided. */
export interface ExplainerOptions extends GateFlags, ControlFlags {
  readonly home?: string | undefined
  readonly team?: string | undefined
  readonly workspace: string
  readonly trust?: boolean | undefined
  /** Absent: the agent that a run starts with. */
  readonly agent?: string | undefined
  readonly depth?: Depth | undefined
}

/** Says what would be decided about calls of one agent at one place in a tree. */
export interface Explainer {
  /** What a person should know of the parts, as before a run. */
  readonly notices: readonly Notice[]
  explain(tool: string, input: JsonObject): Promise<Explanation>
}

/**
 * Puts together what a run is made of, with nothing behind it: no journal, no model, no hook, so that nothing is run, asked or
 * written. Rejects where a run would, but for what a policy forbids: that is a decision like others.
 */
export async function createExplainer(io: Io, options: ExplainerOptions): Promise<Explainer> {
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

/** The agents that must be there: a built-in one brings its team with it. */
function namesIn({ agent, depth }: ExplainerOptions): readonly string[] | undefined {
  if (agent === undefined) return undefined
  return depth?.kind === 'below' ? [...depth.names, agent] : [agent]
}

/** Which model asks for a call makes no difference to it; and rules can be looked at where there is no key to any. */
const anyModel: Models = {
  resolve: async (name) => ({ kind: 'found', model: { id: name ?? 'default', reply: neverRun } }),
}

const noEngine: Engine = { attach: () => {}, open: neverRun, read: neverRun }

function neverRun(): never {
  throw new Error('unreachable: nothing is run to explain a decision')
}
