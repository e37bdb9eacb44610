import { applyToView, CadreError, type CadreEvent, emptyView, type StoredSession } from '@cadre/core'
import {
  type ControlFlags,
  chooseAgent,
  type GateFlags,
  namesOf,
  openTrustedSessions,
  type Runtime,
  reportAgentProblems,
  resolveWorkspace,
  type TrustFlags,
  teamOfRun,
  withGrantOf,
} from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { createDrive, type Drive } from '../../run/create-drive.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { requireOwnWorkspace, sharedFolder } from '../../run/require-own-workspace.ts'
import type { Chat } from './chat.ts'
import { commandNames } from './chat-commands.ts'
import { createChatOutput } from './chat-output.ts'
import { Conversation } from './conversation.ts'
import { newestConversation, refuseOwned, showLast } from './find-conversation.ts'
import type { Input } from './input.ts'
import { runChat } from './run-chat.ts'
import { talksTo } from './switch-agent.ts'

export interface ChatFlags extends GateFlags, ControlFlags {
  readonly agent?: string
  readonly team?: string
  readonly model?: string
  /** The id of a conversation, or its beginning; empty for the newest. */
  readonly resume?: string
  readonly noSubagents?: boolean
  readonly home?: string
  readonly workspace?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre chat`. */
export async function chat(io: Io, given: ChatFlags): Promise<ExitCode> {
  const flags = given.resume === undefined ? given : withGrantOf(io, given, given.resume)
  const { json = false } = flags
  const stored = flags.resume === undefined ? undefined : await findStored(io, flags, flags.resume)
  const workspace = stored === undefined ? resolveWorkspace(io, flags.workspace) : sharedFolder(stored.spec)
  const repeated = repeatedFlags(flags)
  const seen = { view: emptyView() }
  // Unless it is to go on with another team.
  const team = stored === undefined || flags.team !== undefined ? {} : teamOfRun(stored.spec)
  let input: Input | undefined
  const drive: Drive = createDrive({
    ...flags,
    ...team,
    io,
    workspace,
    resumeHint: (root) =>
      drive.hasPerson ? '' : `Resume later with: cadre chat --resume ${root}${repeated}`,
    watch: (event: CadreEvent) => applyToView(seen.view, event),
    keyboard: () => input,
    tells: true,
  })
  try {
    const runtime = await drive.during(() => drive.runtime())
    if (drive.stoppedBy !== undefined) return exitCodes.cancelled
    const wanted =
      stored === undefined || flags.agent !== undefined ? chooseAgent(runtime, flags.agent) : undefined
    const conversation = new Conversation({
      runtime,
      workspace,
      agent: wanted ?? (stored as StoredSession).spec.agent,
      model: flags.model,
      delegation: flags.noSubagents !== true,
    })
    const { style, hasPerson: hasPrompt } = drive
    const output = createChatOutput({ io, style, json, hasPrompt, flags: repeated, runtime })
    input = await inputFrom(io, drive, runtime)
    const chat: Chat = {
      drive,
      runtime,
      conversation,
      check: (other) => requireOwnWorkspace(other, runtime, io, flags.trust),
      input,
      output,
      seen,
      isLeft: false,
      code: exitCodes.done,
    }
    reportAgentProblems(runtime, conversation.agent)
    if (stored !== undefined) {
      conversation.takeUp(stored)
      if (wanted !== undefined) conversation.agent = wanted
      if (hasPrompt) showLast(chat, stored)
    }
    if (hasPrompt) output.note(style.dim(`${talksTo(conversation)} Type /help for commands, Ctrl-D to exit.`))
    return await (hasPrompt ? withoutStrayInterrupts(() => runChat(chat)) : runChat(chat))
  } finally {
    input?.close()
    await drive.close()
  }
}

/** A Ctrl-C between a turn and the prompt is too late for the one and too early for the other: it must not end the chat. */
async function withoutStrayInterrupts<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    return await work()
  } finally {
    process.off('SIGINT', ignore)
  }
}

async function findStored(io: Io, flags: ChatFlags & TrustFlags, wanted: string): Promise<StoredSession> {
  if (flags.workspace !== undefined)
    throw new CadreError(
      'usage',
      '--workspace cannot be combined with --resume: a conversation keeps its workspace. Remove one of them.',
    )
  const sessions = await openTrustedSessions(io, flags)
  try {
    const stored = await sessions.read(
      wanted === '' ? await newestConversation(sessions) : await sessions.find(wanted),
    )
    refuseOwned(sessions, stored)
    requireOwnWorkspace(stored, sessions, io, flags.trust || flags.granted !== undefined)
    return stored
  } finally {
    await sessions.close()
  }
}

async function inputFrom(io: Io, { hasPerson, style }: Drive, runtime: Runtime): Promise<Input> {
  if (!hasPerson) return (await import('./line-input.ts')).createLineInput(io)
  const [{ createPromptInput }, { openMessageHistory }] = await Promise.all([
    import('./prompt-input.ts'),
    import('./message-history.ts'),
  ])
  const complete = (beginning: string) =>
    [
      ...commandNames.map((name) => `/${name}`),
      ...runtime.prompts.list().map(({ name }) => `/${name}`),
      ...namesOf(runtime).map(mention),
    ].filter((word) => word.toLowerCase().startsWith(beginning.toLowerCase()))
  return createPromptInput({ io, style, history: openMessageHistory(runtime.home), complete })
}

function mention(name: string): string {
  return /\s/.test(name) ? `@"${name}" ` : `@${name} `
}
