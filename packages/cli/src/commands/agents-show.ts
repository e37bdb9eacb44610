import { type AgentDefinition, CadreError, didYouMean } from '@cadre/core'
import { type AgentRegistry, showDiagnostic } from '@cadre/files'
import { describeAgent } from '../agents/describe-agent.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { agentText } from '../output/agent-text.ts'
import { cleanLine } from '../output/clean-text.ts'
import { createStyle, wantsColour } from '../output/style.ts'
import { assistant } from '../runtime/assistant.ts'
import { loadParts } from '../runtime/load-parts.ts'

export interface ShowAgentFlags {
  readonly home?: string
  readonly team?: string
  readonly model?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre agents show`. */
export async function showAgent(io: Io, flags: ShowAgentFlags, name: string): Promise<ExitCode> {
  const parts = await loadParts(io, { ...flags, agent: name })
  for (const { message } of parts.notices) io.stderr.write(`cadre: ${cleanLine(message)}\n`)
  const view = await describeAgent(agentNamed(parts.registry, name), parts, io.cwd)
  if (flags.json) io.stdout.write(`${JSON.stringify(view)}\n`)
  else io.stdout.write(agentText(view, createStyle(wantsColour(io.stdout, io.env))))
  return exitCodes.done
}

function agentNamed(registry: AgentRegistry, name: string): AgentDefinition {
  const found = registry.get(name) ?? (name.toLowerCase() === assistant.name ? assistant : undefined)
  if (found !== undefined) return found
  const { files, agents } = registry.loaded()
  const broken = files.find(
    (file) => file.status === 'failed' && file.path.toLowerCase().includes(`/${name.toLowerCase()}.`),
  )
  const reason = broken?.diagnostics.find(({ severity }) => severity === 'error')
  if (reason !== undefined) throw new CadreError('configuration', showDiagnostic(reason))
  const names = agents.map((agent) => agent.name)
  const hint = didYouMean(name, names) || '; `cadre agents list` shows those there are'
  throw new CadreError('not_found', `there is no agent ${JSON.stringify(name)}${hint}`)
}
