import { didYouMean, type Infer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import type { MessagePort } from './message-port.ts'

const input = object({
  to: string(
    'The recipient: an agent, or the id of a session. In a team: the name of a teammate, or "lead"',
    {
      min: 1,
      max: 200,
    },
  ),
  text: string('The message. The recipient sees nothing else', { min: 1, max: 100_000 }),
  summary: optional(string('The subject, in a few words', { max: 200 })),
})

export type SendMessageInput = Infer<typeof input>

export function sendMessageTool(port: () => MessagePort): Tool {
  // Created once, because it tracks the mailboxes from then on.
  let work: ToolImplementation<SendMessageInput> | undefined
  return builtIn<SendMessageInput>({
    name: 'send_message',
    description:
      'Send a message to another agent or a teammate. Cadre queues and delivers it. An answer, if any, arrives as a message to you. Do not wait for it: end your turn.',
    class: 'message',
    // It only writes to the home: the other agent's reaction is judged separately.
    effect: 'write',
    argumentAliases: {
      agent_id: 'to',
      agentId: 'to',
      agent: 'to',
      recipient: 'to',
      target: 'to',
      content: 'text',
      message: 'text',
      body: 'text',
      subject: 'summary',
    },
    reshape: (given) => withoutArguments(given, ['type']),
    input,
    load: () => (work ??= sendMessage(port())),
  })
}

/** Limits agents that keep writing to each other. */
const maxPerSession = 50
const maxDepth = 8

function sendMessage(port: MessagePort): ToolImplementation<SendMessageInput> {
  const { mailboxes, teams, agents, agentOf, attended, now = Date.now } = port

  /** Finds the teammate. If no process serves its team now, the daemon delivers the message, as for any session. */
  function teammate(session: string, to: string) {
    const address = teams?.addressOf(session, to)
    if (address?.kind === 'ambiguous')
      throw new Refusal(
        `Several of your teams have a member with this name. Write to ${address.names.join(' or ')}.`,
      )
    if (address?.kind !== 'member') return undefined
    return address
  }

  async function addressOf(from: string, wanted: string): Promise<{ agent: string; session?: string }> {
    const address = teams?.addressOf(from, wanted)
    const to = address?.kind === 'member' ? address.session : wanted
    const agent = agents.get(to)?.name
    if (agent !== undefined) return { agent }
    const owner = await agentOf(to)
    if (owner !== undefined) return { agent: owner, session: to }
    const names = agents.list().map(({ name }) => name)
    const mates = address?.kind === 'nobody' ? address.names : []
    const team = mates.length === 0 ? '' : ` Your team: ${mates.join(', ')}.`
    const hint =
      didYouMean(to, [...mates, ...names]) || `.${team} Agents: ${names.slice(0, 40).join(', ') || 'none'}`
    throw new Refusal(`There is no agent and no session named ${JSON.stringify(to.slice(0, 100))}${hint}`)
  }

  return {
    async run({ to, text, summary }, { agent: from, session, key }) {
      const mate = teammate(session, to)
      if (mate?.isServed) {
        // The rule `team-messages` judged this call before other calls in the same reply and of other members were written.
        // Nothing else runs between this check and the count in `post`.
        const over = teams?.has(mate.team, mate.member, key) ? undefined : teams?.refuseMessage(mate.team)
        if (over !== undefined) throw new Refusal(over)
        await teams?.post(mate.team, {
          id: key,
          at: new Date(now()).toISOString(),
          from: mate.from,
          session,
          to: mate.member,
          text,
          ...(summary !== undefined && { summary }),
          depth: 0,
        })
        return { content: JSON.stringify({ success: true, id: key, to: mate.member, delivered: 'queued' }) }
      }
      const address = await addressOf(session, to)
      if (address.session === session)
        throw new Refusal('This is your own session. Put what you want to remember in your reply.')
      // A retried call is not another message.
      if (!mailboxes.has(address.agent, key)) refuseTooMany(session)
      await mailboxes.post({
        id: key,
        at: new Date(now()).toISOString(),
        from,
        session,
        to: address.agent,
        ...(address.session !== undefined && { toSession: address.session }),
        text,
        ...(summary !== undefined && { summary }),
        depth: mailboxes.depthOf(session) + 1,
      })
      const receipt = { success: true, id: key, to: address.agent, delivered: 'queued' }
      if (attended()) return { content: JSON.stringify(receipt) }
      const note =
        'No daemon is running for this home directory, so the message stays in the mailbox until a person runs "cadre up". Do not wait for an answer.'
      return { content: JSON.stringify({ ...receipt, note }) }
    },
    async check({ to }, { key, session }) {
      const mate = teammate(session, to)
      if (mate !== undefined && teams?.has(mate.team, mate.member, key)) return 'done'
      const { agent } = await addressOf(session, to)
      return mailboxes.has(agent, key) ? 'done' : 'not_done'
    },
  }

  function refuseTooMany(session: string): void {
    if (mailboxes.sentBy(session) >= maxPerSession)
      throw new Refusal(
        `Message limit reached for this session (${maxPerSession}). Put the rest in your report.`,
      )
    if (mailboxes.depthOf(session) >= maxDepth)
      throw new Refusal(
        `Limit reached: this session is the last in a chain of ${maxDepth} sessions that messages started. Put your message in your report, for a person to read.`,
      )
  }
}
