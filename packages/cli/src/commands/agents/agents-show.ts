import { type AgentDefinition, estimatedTokens, joinPrompt } from '@cadre/core'
import { tokensOf } from '@cadre/knowledge'
import { describeAgent, loadParts, type RunParts, requireAgent, specWithParts } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { agentText } from '../../output/agent-text.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { createStyle, type Style, shouldUseColour } from '../../output/style.ts'

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

/** `cadre agents show --prompt`: the system prompt of a session that would start here now, part by part. */
async function showPrompt(
  io: Io,
  parts: RunParts,
  agent: AgentDefinition,
  { json, style }: { readonly json: boolean; readonly style: Style },
): Promise<void> {
  const { prompt, notices } = await specWithParts(parts, { agent, workspace: io.cwd })
  for (const { message } of notices) io.stderr.write(`cadre: ${cleanLine(message)}\n`)
  const text = joinPrompt(prompt)
  if (json) {
    const rows = prompt.map((part) => ({ from: part.from, tokens: tokensOf(part), text: part.text }))
    io.stdout.write(
      `${JSON.stringify({ prompt: text, tokens: estimatedTokens(text.length), parts: rows })}\n`,
    )
    return
  }
  for (const part of prompt) {
    const head = `── ${cleanLine(part.from)} · about ${tokensOf(part)} tokens`
    io.stdout.write(`${style.bold(head)}\n\n${cleanText(part.text.trimEnd())}\n\n`)
  }
  io.stdout.write(`${style.bold(`── total · about ${estimatedTokens(text.length)} tokens`)}\n`)
}
