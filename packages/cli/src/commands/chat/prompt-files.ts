import { chooseAgent } from '@cadre/runtime'
import type { Chat } from './chat.ts'
import { takeTurn } from './take-turn.ts'

/** The prompt files of the folder, as commands: for the help and for completion. */
export function promptRows({ runtime }: Pick<Chat, 'runtime'>): readonly [command: string, brief: string][] {
  return runtime.prompts
    .list()
    .map(({ name, argumentHint, description, shown }) => [
      `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`,
      `${description} (${shown})`,
    ])
}

/** Sends the prompt file of this name, with what stands behind it. False if there is none. */
export async function runPromptFile(chat: Chat, name: string, rest: string): Promise<boolean> {
  const { runtime, conversation } = chat
  const prompt = runtime.prompts.list().find((one) => one.name === name)
  if (prompt === undefined) return false
  const wanted = prompt.agent === undefined ? conversation.agent : chooseAgent(runtime, prompt.agent)
  const to = runtime.prompts.narrow(wanted, prompt)
  const { model } = prompt
  // A session keeps its agent, tools and model, so that others need a session of their own, which has what was said so far.
  const isOther = to !== conversation.agent || model !== undefined
  chat.input.sent(`/${name} ${rest}`.trim())
  await takeTurn(chat, async (signal) => {
    const text = await runtime.prompts.expand({ prompt, args: rest, agent: to }, signal)
    const handoff = { label: name, agent: to.name, prompt: text, ...(model !== undefined && { model }) }
    return conversation.say(text, signal, isOther ? { handoff, to } : undefined)
  })
  return true
}
