import { messageOf } from '@cadre/core'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import { defaultModel } from '../model/default-model.ts'
import { signalOf } from '../run/token-of.ts'
import type { Services } from '../services.ts'

export interface DelegateInput {
  readonly agentName: string
  readonly workDescription: string
  readonly reportExpectations: string
}

/** Runs an agent for Copilot's agent mode. Errors become the text of the result. */
export async function delegate(
  input: Partial<DelegateInput>,
  toolInvocationToken: vscode.ChatParticipantToolToken | undefined,
  { services, token }: { readonly services: Services; readonly token: vscode.CancellationToken },
): Promise<string> {
  const { agentName = '', workDescription = '', reportExpectations = '' } = input
  if (String(workDescription).trim() === '') return 'Failed: workDescription is missing.'
  const folder = currentFolder()
  if (folder?.uri.scheme !== 'file') return 'Failed: no folder is open. Agents work on the files in a folder.'
  const cancel = signalOf(token)
  try {
    const model = await defaultModel()
    if (model === undefined) return 'Failed: no language model is available.'
    return await services.runs.use({ folder, model, toolInvocationToken }, async (runtime) => {
      const agents = runtime.agents.list().filter(({ userInvocable }) => userInvocable !== false)
      const agent = agents.find(({ name }) => name.toLowerCase() === String(agentName).toLowerCase())
      if (agent === undefined) {
        const known = agents.map(({ name, description, useFor }) => `- ${name}: ${useFor ?? description}`)
        return `Failed: there is no agent ${JSON.stringify(agentName)}. Agents:\n${known.join('\n') || '(none)'}`
      }
      const work = `Work description:\n${workDescription}\n\nReport expectations:\n${reportExpectations}`
      const result = await runtime.run({ agent, work }, cancel.signal)
      if (result.kind === 'waiting')
        return `${agent.name} is suspended until the user decides. Session ${result.session}.`
      const { status, text, notices = [] } = result.report
      if (status === 'completed') return text
      const why = notices.map(({ message }) => message).join('; ')
      return `${agent.name} ended with the status ${status}${why === '' ? '' : `: ${why}`}.\n\n${text}`.trim()
    })
  } catch (error) {
    if (cancel.signal.aborted) throw new vscode.CancellationError()
    services.log.error(error instanceof Error ? error : String(error))
    return `Failed: ${messageOf(error)}`
  } finally {
    cancel.dispose()
  }
}
