import { CadreError, foldEntries, type Handoff, handoffHistory, type RunResult } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import { assistant, type Conversation, chooseAgent, namesOf, openUndo, type Runtime } from '@cadre/runtime'
import type { Direction } from '@cadre/workspaces'
import type { AvailableCommand } from './acp-types.ts'

/** The functions that a command may use. */
export interface CommandContext {
  readonly runtime: Runtime
  readonly conversation: Conversation
  readonly env: NodeJS.ProcessEnv
  /** Shows Cadre's own text in the answer. */
  readonly say: (text: string) => void
  /** Asks the person with this text in full. */
  readonly confirm: (question: string, text: string) => Promise<boolean>
}

/** Undefined if the command has completed without running an agent. */
type CommandEnd = RunResult | undefined

interface Command {
  readonly name: string
  readonly description: string
  readonly hint?: string
  run(context: CommandContext, rest: string, signal: AbortSignal): Promise<CommandEnd>
}

const ownCommands: readonly Command[] = [
  {
    name: 'resume',
    description: 'Continue this session where it stopped, or show its pending questions again',
    run: resume,
  },
  { name: 'compact', description: 'Summarise older messages, so that requests get shorter', run: compact },
  {
    name: 'undo',
    description: 'Undo the file changes from the last turn',
    run: (context) => change('undo', context),
  },
  {
    name: 'redo',
    description: 'Restore the changes from the last undo',
    run: (context) => change('redo', context),
  },
  {
    name: 'handoff',
    description: 'List the handoffs that the agent offers, or accept one by its number',
    hint: 'number',
    run: handOff,
  },
  { name: 'agents', description: 'List the agents', run: showAgents },
  { name: 'cost', description: 'Show the tokens and the cost of this session', run: showCost },
]

/** A session's commands: Cadre's own, and the folder's prompt files. */
export function availableCommands(runtime: Runtime): AvailableCommand[] {
  return [...ownCommands, ...promptCommands(runtime)].map(({ name, description, hint }) => ({
    name,
    description: shownLine(description, 300),
    ...(hint !== undefined && { input: { hint: shownLine(hint, 80) } }),
  }))
}

/** The command that a message calls. A message that begins with a slash but does not name a command is sent to the agent. */
export function commandIn(
  runtime: Runtime,
  message: string,
): { readonly command: Command; readonly rest: string } | undefined {
  const [, name, rest = ''] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(message.trim()) ?? []
  if (name === undefined) return undefined
  const command = [...ownCommands, ...promptCommands(runtime)].find((one) => one.name === name)
  return command && { command, rest: rest.trim() }
}

function promptCommands(runtime: Runtime): Command[] {
  return runtime.prompts.list().map((prompt) => ({
    name: prompt.name,
    description: `${prompt.description} (${prompt.shown})`,
    ...(prompt.argumentHint !== undefined && { hint: prompt.argumentHint }),
    async run({ conversation }, rest, signal) {
      const wanted = prompt.agent === undefined ? conversation.agent : chooseAgent(runtime, prompt.agent)
      const to = runtime.prompts.narrow(wanted, prompt)
      const { model } = prompt
      // A session keeps its agent, tools and model, so a prompt that changes them needs a new session, which gets the history.
      const isOther = to !== conversation.agent || model !== undefined
      // The tools and the model apply only to this message.
      const isLimited = to !== wanted || model !== undefined
      const text = await runtime.prompts.expand({ prompt, args: rest, agent: to }, signal)
      const handoff = {
        label: prompt.name,
        agent: to.name,
        prompt: text,
        ...(model !== undefined && { model }),
      }
      const taken = { handoff, to, ...(isLimited && { next: wanted }) }
      return conversation.say({ content: text }, signal, isOther ? taken : undefined)
    },
  }))
}

async function resume({ conversation, say }: CommandContext, _rest: string, signal: AbortSignal) {
  if (conversation.session !== undefined) return conversation.continue(signal)
  say('There is nothing to continue yet.')
  return undefined
}

async function compact({ conversation, runtime, say }: CommandContext, _rest: string, signal: AbortSignal) {
  const { session } = conversation
  const isDone = session !== undefined && (await runtime.orchestrator.compact(session, signal))
  say(
    isDone
      ? 'Older messages were summarised. The session file keeps them.'
      : 'There is nothing to summarise: the conversation is too short.',
  )
  return undefined
}

async function change(
  direction: Direction,
  { runtime, conversation, env, say, confirm }: CommandContext,
): Promise<undefined> {
  const { home, tell } = runtime
  const undo = openUndo(home, { env, tell, runtime })
  const { session, workspace } = conversation
  const planned = await undo.plan({ direction, workspace, ...(session !== undefined && { session }) })
  if (planned.kind === 'nothing') {
    say(planned.reason)
    return undefined
  }
  const { plan } = planned
  const files = plan.files.map(({ action, path }) => `${action} ${shownLine(path)}`)
  if (plan.conflicts.length > 0 || plan.incomplete !== undefined) {
    const why = plan.conflicts.map(({ path, reason }) => `${shownLine(path)} ${shownLine(reason)}`)
    const lines = plan.incomplete === undefined ? why : [...why, shownLine(plan.incomplete)]
    say(
      `Nothing was changed:\n\n${lines.map((line) => `- ${line}`).join('\n')}\n\nUse "cadre ${direction}" in a terminal to choose.`,
    )
    return undefined
  }
  const question = direction === 'undo' ? 'Undo these changes?' : 'Restore these changes?'
  if (!(await confirm(question, files.join('\n')))) {
    say('Nothing was changed.')
    return undefined
  }
  const applied = await undo.apply(plan)
  const done = `${plan.files.length} ${plan.files.length === 1 ? 'file' : 'files'}`
  say(
    applied.kind === 'applied'
      ? `Restored ${done}.`
      : 'Nothing was changed: the files have changed in the meantime.',
  )
  return undefined
}

async function handOff(context: CommandContext, rest: string, signal: AbortSignal): Promise<CommandEnd> {
  const { conversation, say, runtime } = context
  if (rest === '') {
    say(handoffText(conversation.handoffs) || 'No handoff is available.')
    return undefined
  }
  const handoff = /^\d{1,3}$/.test(rest) ? conversation.handoffs[Number(rest) - 1] : undefined
  if (handoff === undefined)
    throw new CadreError('usage', `there is no handoff ${JSON.stringify(rest)}. List them with /handoff.`)
  const isGeneral = handoff.agent.toLowerCase() === 'agent'
  // Other hosts use this name for their general agent; here it is the assistant, unless an agent has that name.
  const isOurs = isGeneral && !namesOf(runtime).some((name) => name.toLowerCase() === 'agent')
  const to = isOurs ? assistant : chooseAgent(runtime, handoff.agent)
  return conversation.say({ content: handoff.prompt.trim() || 'Continue.' }, signal, { handoff, to })
}

/** The handoffs that an agent offers, with the commands that accept them. */
export function handoffText(handoffs: readonly Handoff[]): string {
  return handoffs
    .map(
      ({ label, agent }, index) =>
        `- \`/handoff ${index + 1}\` ${shownLine(label || agent, 100)} (${shownLine(agent, 80)})`,
    )
    .join('\n')
}

async function showAgents({ runtime, say }: CommandContext): Promise<undefined> {
  const agents = [...runtime.agents.list(), assistant].filter(({ userInvocable }) => userInvocable !== false)
  say(
    agents
      .map(({ name, description }) => `- **${shownLine(name, 80)}** ${shownLine(description, 300)}`)
      .join('\n'),
  )
  return undefined
}

async function showCost({ runtime, conversation, say }: CommandContext): Promise<undefined> {
  const { session } = conversation
  const last = session === undefined ? undefined : await runtime.read(session)
  const messages = last === undefined ? 0 : handoffHistory(last).length
  const usage = last && foldEntries(last.entries, last.spec.id).usage
  say(
    usage === undefined
      ? 'No tokens used yet.'
      : `${usage.input} tokens in, ${usage.output} out${usage.cost === undefined ? '' : `, $${usage.cost.toFixed(4)}`}, ${messages} messages. This includes the agents that this session delegated to.`,
  )
  return undefined
}
