import * as vscode from 'vscode'
import { isSessionId } from '../home/session-id.ts'
import { registerCommand } from '../register-command.ts'
import type { Services } from '../services.ts'
import type { DelegateInput } from './delegate-tool.ts'
import { followups } from './followups.ts'
import { handoffQuery, resumeQuery } from './parse-command.ts'

const participantId = 'copilotMultiAgent.agents'

/** The participant `@agents`, its commands, and the language model tool `delegateWork`. */
export function registerChat(context: vscode.ExtensionContext, services: Services): vscode.Disposable {
  const told = new Set<string>()
  const participant = vscode.chat.createChatParticipant(
    participantId,
    async (request, chatContext, stream, token) => {
      // The engine is loaded with the first request.
      const { answer } = await import('./answer.ts')
      return answer({ request, context: chatContext, stream, token, services, told })
    },
  )
  participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'agents.svg')
  participant.followupProvider = { provideFollowups: followups }
  return vscode.Disposable.from(
    participant,
    registerCommand(services.log, 'handoff', (argument) => handOff(fieldsOf(argument))),
    registerCommand(services.log, 'resumeSession', (argument) => resumeSession(fieldsOf(argument))),
    vscode.lm.registerTool<DelegateInput>('copilotMultiAgent_delegateWork', {
      prepareInvocation: ({ input }) => ({
        invocationMessage: `Delegating to ${truncate(String(input?.agentName ?? 'an agent'), 60)}: ${truncate(String(input?.workDescription ?? ''), 120)}`,
      }),
      async invoke({ input, toolInvocationToken }, token) {
        const { delegate } = await import('./delegate-tool.ts')
        const text = await delegate(input ?? {}, toolInvocationToken, { services, token })
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
      },
    }),
  )
}

type Fields = { readonly [key: string]: unknown }

function fieldsOf(argument: unknown): Fields {
  return typeof argument === 'object' && argument !== null ? { ...argument } : {}
}

async function handOff({ agent, prompt, send }: Fields): Promise<void> {
  if (typeof agent !== 'string' || !/^[^\n"]{1,100}$/.test(agent))
    throw new Error('This handoff does not name an agent. In the chat, type "@agents /handoff NAME TASK".')
  const query = handoffQuery(agent, typeof prompt === 'string' ? prompt.slice(0, 20_000) : '')
  await openChat(query, send === true)
}

async function resumeSession({ session }: Fields): Promise<void> {
  if (!isSessionId(session)) throw new Error('There is no such session. Refresh the view and try again.')
  await openChat(resumeQuery(session), true)
}

function openChat(query: string, send: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.chat.open', { query, isPartialQuery: !send })
}

function truncate(text: string, maxLength: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)} …` : line
}
