import { CadreError } from '@cadre/core'
import { assistant, namesOf } from '@cadre/runtime'
import { cleanLine } from '../../../output/clean-text.ts'
import { textTable } from '../../../output/text-table.ts'
import { acceptHandoff } from '../accept-handoff.ts'
import type { Chat } from '../chat.ts'
import type { ChatCommand } from '../chat-commands.ts'
import { offerHandoffs } from '../chat-output.ts'
import { switchAgent, switchMessage } from '../switch-agent.ts'

export const agentCommands: readonly ChatCommand[] = [
  { name: 'agents', about: 'list the agents you can chat with', run: showAgents },
  { name: 'agent', argument: 'NAME', about: 'switch to another agent; same as @NAME', run: changeAgent },
  {
    name: 'handoff',
    argument: '[N] [fill|send]',
    about: 'accept a handoff; fill: edit its message first, send: send it unchanged',
    run: handOver,
  },
]

function showAgents({ runtime, output }: Chat): void {
  const agents = [...runtime.agents.list(), assistant].filter(
    (agent, index, all) =>
      agent.userInvocable !== false && all.findIndex(({ name }) => name === agent.name) === index,
  )
  const rows = agents.map(({ name, description }) => [cleanLine(name), cleanLine(description).slice(0, 300)])
  const data = agents.map(({ name, description }) => ({ name, description }))
  output.note(textTable(['AGENT', 'DOES'], rows).trimEnd(), { type: 'agents', agents: data })
}

function changeAgent(chat: Chat, name: string): void {
  if (name !== '') switchAgent(chat, name.replace(/^@?"?|"$/g, ''))
  chat.output.note(switchMessage(chat.conversation))
}

async function handOver(chat: Chat, rest: string): Promise<void> {
  const { conversation, output, drive, runtime } = chat
  const words = rest.toLowerCase().split(/\s+/).filter(Boolean)
  const how = words.find((word) => word === 'fill' || word === 'send') as 'fill' | 'send' | undefined
  const number = words.find((word) => word !== how)
  if (number === undefined && (how === undefined || conversation.handoffs.length !== 1)) {
    const lines = offerHandoffs(conversation.handoffs, drive.style, namesOf(runtime))
    const text = lines.length === 0 ? 'No handoff is available.' : lines.slice(1).join('\n')
    return output.note(text, { type: 'handoffs', handoffs: conversation.handoffs })
  }
  if (number !== undefined && !/^\d{1,9}$/.test(number))
    throw new CadreError(
      'usage',
      `${JSON.stringify(number)} is not a handoff number. Usage: /handoff [N] [fill|send]`,
    )
  await acceptHandoff(chat, Number(number ?? 1), how)
}
