import { applyToView, CadreError, type CadreEvent, emptyView, type StoredSession } from '@cadre/core'
import {
  type ControlFlags,
  Conversation,
  chooseAgent,
  type GateFlags,
  namesOf,
  openTrustedSessions,
  type Runtime,
  rejectIfRunning,
  reportAgentProblems,
  requireOwnWorkspace,
  resolveWorkspace,
  sharedFolder,
  type TrustFlags,
  teamForRun,
  withRecordedGrant,
} from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { createRunDriver, type RunDriver } from '../../run/create-run-driver.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { ensureModel } from '../setup/ensure-model.ts'
import type { Chat } from './chat.ts'
import { allCommands, builtInCommands } from './chat-commands.ts'
import { createChatOutput } from './chat-output.ts'
import type { ChatScreen } from './chat-screen.ts'
import { ChatStatus } from './chat-status.ts'
import { newestConversation, showLastMessage } from './find-conversation.ts'
import type { Input } from './input.ts'
import { runChat } from './run-chat.ts'
import { switchMessage } from './switch-agent.ts'

export interface ChatFlags extends GateFlags, ControlFlags {
  readonly agent?: string
  readonly team?: string
  readonly model?: string
  /** The id of a conversation, or the first characters of that id; empty for the newest. */
  readonly resume?: string
  readonly noSubagents?: boolean
  readonly home?: string
  readonly workspace?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre chat`. */
export async function startChat(io: Io, given: ChatFlags): Promise<ExitCode> {
  const flags = given.resume === undefined ? given : withRecordedGrant(io, given, given.resume)
  const { json = false } = flags
  await ensureModel(io, flags)
  const stored = flags.resume === undefined ? undefined : await findStored(io, flags, flags.resume)
  const workspace = stored === undefined ? resolveWorkspace(io, flags.workspace) : sharedFolder(stored.spec)
  const repeated = repeatedFlags(flags)
  const seen = { view: emptyView() }
  // Unless another team is requested.
  const team = stored === undefined || flags.team !== undefined ? {} : teamForRun(stored.spec)
  let input: Input | undefined
  let screen: ChatScreen | undefined
  let models: Runtime['models'] | undefined
  const status = new ChatStatus(workspace, () => models, flags.model)
  let conversation: Conversation | undefined
  const resumeText = (session: string | undefined) =>
    session === undefined
      ? ''
      : drive.style.dim(`Resume this chat with: cadre chat --resume ${session}${repeated}`)
  const drive: RunDriver = createRunDriver({
    ...flags,
    ...team,
    io,
    workspace,
    resumeHint: (root) =>
      drive.hasPerson ? '' : `Resume later with: cadre chat --resume ${root}${repeated}`,
    farewell: (root) => (drive.hasPerson ? resumeText(root ?? conversation?.session) : ''),
    watch(event: CadreEvent) {
      applyToView(seen.view, event)
      status.event(event)
    },
    keyboard: () => input,
    surface: () => screen?.surface(),
  })
  try {
    const runtime = await drive.during(() => drive.runtime())
    if (drive.stoppedBy !== undefined) return exitCodes.cancelled
    models = runtime.models
    const wanted =
      stored === undefined || flags.agent !== undefined ? chooseAgent(runtime, flags.agent) : undefined
    conversation = new Conversation({
      runtime,
      workspace,
      agent: wanted ?? (stored as StoredSession).spec.agent,
      model: flags.model,
      delegation: flags.noSubagents !== true,
    })
    const { style, hasPerson: hasPrompt } = drive
    const output = createChatOutput({ io, style, json, hasPrompt, flags: repeated, runtime })
    const commands = [...builtInCommands]
    if (hasPrompt) screen = await openScreen({ io, drive, runtime, status, commands, workspace })
    input = screen ?? (await import('./line-input.ts')).createLineInput(io)
    const chat: Chat = {
      io,
      drive,
      runtime,
      conversation,
      check: (other) => requireOwnWorkspace(other, runtime, io, flags.trust),
      input,
      screen,
      status,
      commands,
      queue: [],
      deliveries: new Set(),
      notes: [],
      output,
      seen,
      isLeft: false,
      code: exitCodes.done,
    }
    reportAgentProblems(runtime, conversation.agent)
    if (stored !== undefined) {
      conversation.takeUp(stored)
      status.takeUp(stored)
      if (wanted !== undefined) conversation.agent = wanted
      if (hasPrompt) showLastMessage(chat, stored)
    }
    if (hasPrompt)
      output.note(style.dim(`${switchMessage(conversation)} Type /help for commands, Ctrl-D to exit.`))
    if (!hasPrompt) return await runChat(chat)
    const code = await withoutStrayInterrupts(() => runChat(chat))
    if (conversation.session !== undefined) output.note(resumeText(conversation.session))
    return code
  } finally {
    input?.close()
    await drive.close()
  }
}

/** A Ctrl-C between a turn and the prompt must not end the chat. */
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
    await rejectIfRunning(sessions, stored)
    requireOwnWorkspace(stored, sessions, io, flags.trust || flags.granted !== undefined)
    return stored
  } finally {
    await sessions.close()
  }
}

async function openScreen(
  options: Pick<Chat, 'io' | 'drive' | 'runtime' | 'status' | 'commands'> & { readonly workspace: string },
): Promise<ChatScreen> {
  const { io, drive, runtime, status, commands, workspace } = options
  const [
    { createChatScreen },
    { openMessageHistory },
    { createCompleter },
    { createFileIndex },
    { CollapsedOutputs },
  ] = await Promise.all([
    import('./chat-screen.ts'),
    import('./message-history.ts'),
    import('./create-completer.ts'),
    import('./file-index.ts'),
    import('./collapsed-outputs.ts'),
  ])
  return createChatScreen({
    io,
    style: drive.style,
    history: openMessageHistory(runtime.home),
    completer: (changed) =>
      createCompleter({
        workspace,
        commands: () => allCommands({ commands, runtime }),
        agents: () => namesOf(runtime).map(mention),
        files: createFileIndex(workspace, changed),
      }),
    status: () => status.facts(),
    turn: { workspace, folded: new CollapsedOutputs() },
  })
}

function mention(name: string): string {
  return /\s/.test(name) ? `@"${name}" ` : `@${name} `
}
