import { chooseAgent, type Runtime } from '@cadre/runtime'
import { cleanLine } from '../../output/clean-text.ts'
import type { Chat } from './chat.ts'
import type { ChatCommand } from './chat-commands.ts'
import { runTurn } from './run-turn.ts'

type Prompt = ReturnType<Runtime['prompts']['list']>[number]

/** The prompt files in the folder as commands. Their texts come from files, so control characters are removed. */
export function promptCommands(runtime: Runtime): readonly ChatCommand[] {
  return runtime.prompts.list().map((prompt) => ({
    name: prompt.name,
    ...(prompt.argumentHint !== undefined && { argument: cleanLine(prompt.argumentHint).slice(0, 40) }),
    about: `${cleanLine(prompt.description).slice(0, 200)} (${cleanLine(prompt.shown)})`,
    run: (chat, rest) => sendPrompt(chat, prompt, rest),
  }))
}

async function sendPrompt(chat: Chat, prompt: Prompt, rest: string): Promise<void> {
  const { runtime, conversation } = chat
  const { name } = prompt
  const wanted = prompt.agent === undefined ? conversation.agent : chooseAgent(runtime, prompt.agent)
  const to = runtime.prompts.narrow(wanted, prompt)
  const { model } = prompt
  // A session keeps its agent, tools and model, so a prompt with others needs a new session, which gets the history.
  const isOther = to !== conversation.agent || model !== undefined
  // The tools and the model apply only to this message.
  const isLimited = to !== wanted || model !== undefined
  chat.input.sent(`/${name} ${rest}`.trim())
  await runTurn(chat, async (signal) => {
    const text = await runtime.prompts.expand({ prompt, args: rest, agent: to }, signal)
    const handoff = { label: name, agent: to.name, prompt: text, ...(model !== undefined && { model }) }
    const taken = { handoff, to, ...(isLimited && { next: wanted }) }
    return conversation.say({ content: text }, signal, isOther ? taken : undefined)
  })
}
