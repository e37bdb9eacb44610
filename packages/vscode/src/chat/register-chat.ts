import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import type { Services } from '../services.ts'
import type { DelegateInput } from './delegate-tool.ts'
import { handoffQuery, isSessionId, resumeQuery } from './parse-command.ts'

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
    command('copilotMultiAgent.handoff', services, handOff),
    command('copilotMultiAgent.resumeSession', services, resumeSession),
    command('copilotMultiAgent.trustFolder', services, () => trustFolder(services)),
    vscode.lm.registerTool<DelegateInput>('copilotMultiAgent_delegateWork', {
      prepareInvocation: ({ input }) => ({
        invocationMessage: `Delegating to ${shortened(String(input?.agentName ?? 'an agent'), 60)}: ${shortened(String(input?.workDescription ?? ''), 120)}`,
      }),
      async invoke({ input, toolInvocationToken }, token) {
        const { delegate } = await import('./delegate-tool.ts')
        const text = await delegate(input ?? {}, toolInvocationToken, { services, token })
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
      },
    }),
  )
}

/** A command whose failures are shown. Its argument may come from a link, so it is anything. */
function command(
  name: string,
  { log }: Services,
  run: (argument: { readonly [key: string]: unknown }) => Promise<unknown>,
): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (argument: unknown) => {
    try {
      await run(typeof argument === 'object' && argument !== null ? { ...argument } : {})
    } catch (error) {
      log.error(error instanceof Error ? error : String(error))
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error))
    }
  })
}

async function handOff({ agent, prompt, send }: { readonly [key: string]: unknown }): Promise<void> {
  if (typeof agent !== 'string' || !/^[^\n"]{1,100}$/.test(agent))
    throw new Error('This handoff names no agent. Type @agents /handoff NAME what to do in the chat.')
  const query = handoffQuery(agent, typeof prompt === 'string' ? prompt.slice(0, 20_000) : '')
  await openChat(query, send === true)
}

async function resumeSession({ session }: { readonly [key: string]: unknown }): Promise<void> {
  if (!isSessionId(session)) throw new Error('There is no such session. Refresh the view and try again.')
  await openChat(resumeQuery(session), true)
}

async function trustFolder(services: Services): Promise<void> {
  const folder = currentFolder()
  if (folder?.uri.scheme !== 'file') throw new Error('Open a folder first: File > Open Folder.')
  if (!vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand('workbench.trust.manage')
    return
  }
  const { askToTrust } = await import('../run/ask-to-trust.ts')
  await askToTrust(services, folder)
}

function openChat(query: string, send: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.chat.open', { query, isPartialQuery: !send })
}

/** What a person may want next. Handoffs are buttons: they know whether to send at once. */
function followups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const { status, session } = metadata ?? {}
  if (typeof status !== 'string' || status === 'completed') return []
  const show: vscode.ChatFollowup = { label: 'Show status', prompt: 'status', command: 'status' }
  if (!isSessionId(session)) return [show]
  return [{ label: 'Continue', prompt: session, command: 'approve' }, show]
}

function shortened(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest)} …` : line
}
