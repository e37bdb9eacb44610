import * as vscode from 'vscode'

/** The default model if the person picked none: one of Copilot if there is any, otherwise the first. */
export async function defaultModel(): Promise<vscode.LanguageModelChat | undefined> {
  const [copilot] = await vscode.lm.selectChatModels({ vendor: 'copilot' })
  if (copilot !== undefined) return copilot
  const [first] = await vscode.lm.selectChatModels()
  return first
}
