import type { AgentDefinition, Budget, Image } from '@cadre/core'
import { showDiagnostic } from '@cadre/files'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { driveRun } from '../run/drive-run.ts'
import { readWork } from '../run/read-work.ts'
import { resolveWorkspace } from '../run/resolve-workspace.ts'
import { entryAgent } from '../runtime/entry-agent.ts'

export interface RunFlags {
  readonly agent?: string
  readonly model?: string
  readonly home?: string
  readonly workspace?: string
  readonly maxTurns?: number
  readonly depth?: number
  readonly concurrency?: number
  readonly budgetTokens?: number
  readonly budgetCost?: number
  readonly noSubagents?: boolean
  readonly image?: readonly string[]
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre run`. */
export async function run(io: Io, flags: RunFlags, ...words: readonly string[]): Promise<ExitCode> {
  const workspace = resolveWorkspace(io, flags.workspace)
  const images: readonly Image[] =
    flags.image === undefined ? [] : (await import('../run/read-images.ts')).readImages(io, flags.image)
  const content = await readWork(io, words)
  return driveRun({ ...flags, io, workspace }, ({ orchestrator, agents, settings, tell }, signal) => {
    const loaded = agents.loaded()
    const faults = loaded.diagnostics.filter(({ severity }) => severity === 'error').map(showDiagnostic)
    const agent = entryAgent({
      agents: loaded.agents,
      wanted: flags.agent,
      configured: settings.config.entry,
      faults,
    })
    for (const fault of loaded.diagnostics.filter(({ severity }) => severity !== 'info'))
      tell(showDiagnostic(fault))
    return orchestrator.start(
      {
        agent: withBudget(agent, flags),
        work: { content, ...(images.length > 0 && { images }) },
        workspace,
        delegation: flags.noSubagents !== true,
        ...(flags.model !== undefined && { model: flags.model }),
        ...(flags.maxTurns !== undefined && { maxRounds: flags.maxTurns }),
      },
      signal,
    )
  })
}

/** As part of the entry session's own limits the budget is written down with it, and holds when the run is resumed. */
function withBudget(agent: AgentDefinition, { budgetTokens, budgetCost }: RunFlags): AgentDefinition {
  if (budgetTokens === undefined && budgetCost === undefined) return agent
  const own: Budget = agent.limits?.budget ?? {}
  const budget = {
    ...own,
    ...least('tokens', own.tokens, budgetTokens),
    ...least('cost', own.cost, budgetCost),
  }
  return { ...agent, limits: { ...agent.limits, budget } }
}

function least(key: keyof Budget, own: number | undefined, asked: number | undefined): Budget {
  if (asked === undefined) return {}
  return { [key]: Math.min(asked, own ?? asked) }
}
