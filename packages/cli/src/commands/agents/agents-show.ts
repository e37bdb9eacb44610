import { describeAgent, loadParts, requireAgent } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { agentText } from '../../output/agent-text.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { showPrompt } from './show-prompt.ts'

export interface ShowAgentFlags {
  readonly home?: string
  readonly team?: string
  readonly model?: string
  readonly trust?: boolean
  readonly json?: boolean
  readonly prompt?: boolean
}

/** `cadre agents show`. */
export async function showAgent(io: Io, flags: ShowAgentFlags, name: string): Promise<ExitCode> {
  const parts = await loadParts(io, { ...flags, agent: name })
  for (const { message } of parts.notices) io.stderr.write(`cadre: ${cleanText(message)}\n`)
  const style = createStyle(shouldUseColour(io.stdout, io.env))
  if (flags.prompt) {
    await showPrompt(io, parts, requireAgent(parts.registry, name), { json: flags.json === true, style })
    return exitCodes.done
  }
  const view = await describeAgent(requireAgent(parts.registry, name), parts, io.cwd)
  if (flags.json) io.stdout.write(`${JSON.stringify(view)}\n`)
  else io.stdout.write(agentText(view, style))
  return exitCodes.done
}
