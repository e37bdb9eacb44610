import { type AgentDefinition, estimatedTokens, joinPrompt } from '@cadre/core'
import { tokensOf } from '@cadre/knowledge'
import { type RunParts, specWithParts } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import type { Style } from '../../output/style.ts'

/** `cadre agents show --prompt`: the system prompt of a session that would start here now, part by part. */
export async function showPrompt(
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
