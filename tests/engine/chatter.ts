import type { ModelRequest, Reply, StoredSession } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { lastMessage, memberOf, receivedTeamMessages } from './team-messages.ts'

/**
 * A team whose members write to each other, one message after the other, and sometimes rest. Their messages depend only on
 * the conversation, so that they continue after a crash as without one.
 */
export const chatterAgents = [
  { name: 'lead', limits: { maxTurns: 10_000 } },
  { name: 'worker', limits: { maxTurns: 10_000, timeoutSeconds: 10_000 } },
  { name: 'tester', limits: { maxTurns: 10_000, timeoutSeconds: 10_000 } },
]

const names = ['ann', 'ben', 'cat', 'dan', 'eve']
/** Messages per reply, and replies until a member rests. */
const perReply = [3, 1, 2]
const rest = 4

/** Lanes in which each of five members sends this many messages. */
export function chatterLanes(each: number) {
  const lines = (line: (request: ModelRequest) => Reply) =>
    Array.from({ length: 20 * each + 100 }, () => line)
  const member = lines((request) => {
    const name = memberOf(request)
    const sent = sentIn(request.messages)
    if (sent.length >= each) return say('finished')
    const replies = request.messages.filter(({ role }) => role === 'assistant').length
    if (replies % rest === rest - 1) return say('resting')
    const others = names.filter((other) => other !== name)
    const many = Math.min(perReply[replies % perReply.length] as number, each - sent.length)
    const texts = Array.from({ length: many }, (_, index) => {
      const to = others[Math.floor((sent.length + index) / 2) % others.length] as string
      return ['send_message', { to, text: `${name} to ${to}, ${sent.length + index}` }] as const
    })
    return call(...texts)
  })
  const members = names.map((name, index) => ({
    name,
    agentType: index % 2 === 0 ? 'worker' : 'tester',
    initialPrompt: 'write to the others',
  }))
  const lead = lines((request) => {
    if (request.round === 1) return call(['create_team', { name: 'chatter', members }])
    const said = lastMessage(request)
    // The lead wakes a member that rests without a message.
    const resting = [...said.matchAll(/name="(\w+)"[^>]*>\nReport of \w+:\n\nresting/g)].map(
      ([, name]) => name,
    )
    if (request.messages.at(-1)?.role === 'tool_result' || resting.length === 0) return say('that was all')
    const count = sentIn(request.messages).length
    return call(
      ...resting.map(
        (to, index) => ['send_message', { to, text: `lead to ${to}, ${count + index}` }] as const,
      ),
    )
  })
  return { lead, worker: member, tester: member }
}

/** The sent messages in order: recipient and text. */
function sentIn(messages: ModelRequest['messages']): { to: string; text: string }[] {
  return messages.flatMap((message) =>
    message.role !== 'assistant'
      ? []
      : (message.tool_calls ?? []).flatMap(({ function: { name, arguments: given } }) =>
          name === 'send_message' ? [JSON.parse(given)] : [],
        ),
  )
}

export interface Chatter {
  readonly messages: number
  /** Messages that were lost, duplicated or reordered, by pair. */
  readonly faults: readonly string[]
}

/** Compares the sent and received messages of all sessions, pair by pair. */
export function checkChatter(sessions: readonly StoredSession[]): Chatter {
  const faults: string[] = []
  let messages = 0
  const nameOf = ({ spec }: StoredSession) => spec.team?.member ?? 'lead'
  for (const sender of sessions) {
    const from = nameOf(sender)
    const sent = sentIn(sender.entries as unknown as ModelRequest['messages'])
    messages += sent.length
    for (const receiver of sessions) {
      const to = nameOf(receiver)
      const wanted = sent.filter((one) => one.to === to).map(({ text }) => `${from}: ${text}`)
      const found = receivedTeamMessages(receiver.entries).filter((text) => text.startsWith(`${from}: `))
      if (wanted.join('\n') !== found.join('\n'))
        faults.push(`${from} sent ${to}:\n${wanted.join('\n')}\n${to} heard:\n${found.join('\n')}`)
    }
    for (const entry of sender.entries)
      if (entry.role === 'tool_result' && entry.outcome !== undefined)
        faults.push(`${from}: ${entry.outcome} ${entry.content}`)
  }
  return { messages, faults }
}
