import { type AgentDefinition, type Budget, CadreError, type Image } from '@cadre/core'
import {
  type ControlFlags,
  chooseAgent,
  type GateFlags,
  namesOf,
  type Runtime,
  reportAgentProblems,
  resolveWorkspace,
} from '@cadre/runtime'
import type { ScriptFlags } from '../../app/flags.ts'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { driveRun } from '../../run/drive-run.ts'
import { readAddress } from '../../run/read-address.ts'
import { readWork } from '../../run/work-from-input.ts'
import { ensureModel } from '../setup/ensure-model.ts'

export interface RunFlags extends GateFlags, ControlFlags, ScriptFlags {
  readonly agent?: string
  readonly team?: string
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
  readonly outputSchema?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre run`. */
export async function startRun(io: Io, flags: RunFlags, ...words: readonly string[]): Promise<ExitCode> {
  const workspace = resolveWorkspace(io, flags.workspace)
  const images: readonly Image[] =
    flags.image === undefined ? [] : (await import('../../run/read-images.ts')).readImages(io, flags.image)
  const outputSchema =
    flags.outputSchema === undefined
      ? undefined
      : (await import('../../run/read-output-schema.ts')).readOutputSchema(io, flags.outputSchema)
  const { content, late } = await readWork(io, words, { quiet: flags.quiet === true })
  await ensureModel(io, flags)
  const options = { ...flags, io, workspace, hasSchema: outputSchema !== undefined }
  return driveRun(options, (runtime, signal) => {
    void late?.then(() => runtime.tell(lateInputNotice))
    const { name, text } = findAddressedAgent(content, runtime, flags.agent)
    const agent = chooseAgent(runtime, name)
    if (outputSchema !== undefined) rejectSections(agent)
    reportAgentProblems(runtime, agent)
    return runtime.orchestrator.start(
      {
        agent: withBudget(agent, flags),
        work: { content: text, ...(images.length > 0 && { images }) },
        workspace,
        delegation: flags.noSubagents !== true,
        ...(flags.model !== undefined && { model: flags.model }),
        ...(flags.maxTurns !== undefined && { maxRounds: flags.maxTurns }),
        ...(outputSchema && { outputSchema }),
      },
      signal,
    )
  })
}

const lateInputNotice =
  'standard input received data after the run had started without it. The agents do not see this data. Run again with - after the message.'

/** A report cannot have headings and be JSON. */
function rejectSections({ name, requiredSections = [] }: AgentDefinition): void {
  if (requiredSections.length === 0) return
  throw new CadreError(
    'usage',
    `agent ${name} requires the sections ${requiredSections.join(', ')} in its report, so it cannot answer with JSON. Choose another agent, or run without --output-schema.`,
  )
}

/** The message may start with the name of its agent: `@reviewer …`. Any other `@` is text. */
function findAddressedAgent(content: string, runtime: Runtime, wanted: string | undefined) {
  if (wanted !== undefined) return { name: wanted, text: content }
  const address = readAddress(content, namesOf(runtime))
  if (address.kind === 'unknown') return { name: undefined, text: content }
  if (address.kind === 'none') return { name: undefined, text: address.text }
  if (address.text !== '') return address
  throw new CadreError('usage', `the message is empty. After ${address.name}, write what it should do.`)
}

/** The budget is recorded with the entry session's own limits, and applies when the run is resumed. */
function withBudget(agent: AgentDefinition, { budgetTokens, budgetCost }: RunFlags): AgentDefinition {
  if (budgetTokens === undefined && budgetCost === undefined) return agent
  const own: Budget = agent.limits?.budget ?? {}
  const budget = {
    ...own,
    ...smallest('tokens', own.tokens, budgetTokens),
    ...smallest('cost', own.cost, budgetCost),
  }
  return { ...agent, limits: { ...agent.limits, budget } }
}

function smallest(key: keyof Budget, own: number | undefined, asked: number | undefined): Budget {
  if (asked === undefined) return {}
  return { [key]: Math.min(asked, own ?? asked) }
}
