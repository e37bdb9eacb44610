import { type AgentDefinition, CadreError, messageOf } from '@cadre/core'
import { chooseAgent, type Runtime, reportAgentProblems } from '@cadre/runtime'
import { previewQuestion } from '@cadre/tools'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import { isSessionId } from '../home/session-id.ts'
import { defaultModel } from '../model/default-model.ts'
import { signalOf } from '../run/token-of.ts'
import type { Services } from '../services.ts'
import { showAgents } from './answer-agents.ts'
import { approve } from './answer-approve.ts'
import { handOff } from './answer-handoff.ts'
import { showStatus } from './answer-status.ts'
import { createChatStream } from './chat-stream.ts'
import { RunFollower } from './follow-run.ts'
import { historyOf } from './history-of.ts'
import { readTurns } from './read-turns.ts'
import { sessionFolderOf } from './session-folder-of.ts'
import { runAgent, type Turn, toSentence } from './turn.ts'

/** Messages that are shown only once per window. */
export type ShownMessages = Set<string>

export interface AnswerRequest {
  readonly request: vscode.ChatRequest
  readonly context: vscode.ChatContext
  readonly stream: vscode.ChatResponseStream
  readonly token: vscode.CancellationToken
  readonly services: Services
  readonly told: ShownMessages
}

/** Answers one request to `@agents`. Never rejects: errors become the answer. */
export async function answer(asked: AnswerRequest): Promise<vscode.ChatResult> {
  const { request, context, stream, token, services, told } = asked
  const chat = createChatStream(stream, services.log)
  const cancel = signalOf(token)
  try {
    const folder = (await folderOfRequest(request, services)) ?? currentFolder()
    if (folder === undefined || folder.uri.scheme !== 'file') return failed(noFolder)
    const model = request.model ?? (await defaultModel())
    if (model === undefined) return failed(noModel)
    const follower = new RunFollower({ chat, folder })
    const once = (message: string) => {
      services.log.info(message)
      if (told.has(message)) return
      told.add(message)
      follower.notice(message)
    }
    if (!vscode.workspace.isTrusted) once(restricted)
    let running: Runtime | undefined
    const turn: Turn = {
      request,
      context,
      chat,
      follower,
      folder,
      services,
      signal: cancel.signal,
      use: (work, resumedWith) =>
        services.runs.use(
          {
            folder,
            model,
            toolInvocationToken: request.toolInvocationToken,
            onEvent: (event) => follower.onEvent(event),
            ask: async (session, question) => {
              const preview = async () => {
                const stored = await running?.read(session)
                return stored && previewQuestion(stored, question)
              }
              await follower.ask(session, question, preview)
              return undefined
            },
            tell: once,
            resumedWith,
          },
          async (runtime) => {
            running = runtime
            for (const { code, message } of runtime.notices)
              if (/^tool_/.test(code)) services.log.info(message)
              else once(message)
            return work(runtime)
          },
        ),
    }
    return await answerTurn(turn)
  } catch (error) {
    return failed(explain(error, services))
  } finally {
    cancel.dispose()
    chat.end()
  }
}

/** A session is continued in its own folder, whichever editor is active. */
async function folderOfRequest(
  { command, prompt }: vscode.ChatRequest,
  services: Services,
): Promise<vscode.WorkspaceFolder | undefined> {
  const wanted = prompt.trim()
  return command === 'approve' && isSessionId(wanted) ? sessionFolderOf(services, wanted) : undefined
}

function answerTurn(turn: Turn): Promise<vscode.ChatResult> {
  switch (turn.request.command) {
    case 'agents':
      return showAgents(turn)
    case 'status':
      return showStatus(turn)
    case 'handoff':
      return handOff(turn)
    case 'approve':
      return approve(turn)
    default:
      return answerWork(turn)
  }
}

async function answerWork(turn: Turn): Promise<vscode.ChatResult> {
  if (turn.request.prompt.trim() === '' && turn.request.references.length === 0) {
    turn.chat.say('Describe what you want done, or use `/agents` to list the agents.')
    return {}
  }
  return turn.use(async (runtime) => {
    const agent = entryOf(runtime)
    reportAgentProblems(runtime, agent)
    return runAgent(turn, runtime, { agent, history: historyOf(readTurns(turn.context)) })
  })
}

/** Returns the configured entry agent, or the first agent, with a warning. */
function entryOf(runtime: Runtime): AgentDefinition {
  try {
    return chooseAgent(runtime)
  } catch (error) {
    const [first] = runtime.agents.list().filter((agent) => agent.userInvocable !== false)
    if (!(error instanceof CadreError) || first === undefined) throw error
    runtime.tell(`${toSentence(error.message)} ${first.name} answers instead.`)
    return first
  }
}

function failed(message: string): vscode.ChatResult {
  return { errorDetails: { message: toSentence(message) } }
}

/** A failure as a sentence for the person. The log has the details of unexpected errors. */
function explain(error: unknown, { log }: Services): string {
  if (error instanceof CadreError) {
    log.warn(error.message)
    return error.message
  }
  log.error(error instanceof Error ? error : String(error))
  const message = messageOf(error)
  return `${toSentence(`The request failed: ${message}`)} See the output "Copilot Multi-Agent", then try again.`
}

const noFolder =
  'Agents work on the files in a folder, but no folder is open. Open one with File > Open Folder, then ask again.'
const noModel =
  'No language model is available. Sign in to GitHub Copilot, or add a model with "Chat: Manage Language Models", then ask again.'
const restricted =
  'This workspace is in Restricted Mode: agents are read-only, and its agents, hooks and settings are ignored. Run "Workspaces: Manage Workspace Trust" to change this.'
