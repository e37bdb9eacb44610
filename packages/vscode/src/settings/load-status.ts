import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import type { Services } from '../services.ts'
import { availableTools } from './available-tools.ts'
import { findAgents } from './found-agents.ts'
import type { StatusReport } from './status-text.ts'
import { missingTools } from './tool-choices.ts'

/** The current status. Errors are included as notices. */
export async function loadStatus(services: Services): Promise<StatusReport> {
  const folder = currentFolder()
  const [found, tools, checked, models, sessions] = await Promise.all([
    findAgents(services),
    availableTools(services),
    services.settings.check(folder?.uri),
    vscode.lm.selectChatModels(),
    loadSessions(services, folder),
  ])
  return {
    agents: found.agents,
    ...(found.entry !== undefined && { entry: found.entry }),
    models: models.map(({ id, vendor }) => `${vendor}/${id}`),
    builtInTools: tools.builtIn.length,
    editorTools: tools.editor.length,
    missing: await missingTools(found.agents, tools.all),
    ...(sessions.home !== undefined && { home: sessions.home }),
    ...(folder && { folder: folder.uri.fsPath }),
    isTrusted: vscode.workspace.isTrusted,
    problems: checked.problems,
    notices: [...found.notices, ...sessions.notices],
    running: sessions.running,
  }
}

interface SessionsStatus extends Pick<StatusReport, 'running' | 'notices'> {
  readonly home?: string
}

async function loadSessions(
  { homes }: Services,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<SessionsStatus> {
  const none: SessionsStatus = { running: [], notices: [] }
  if (folder === undefined) return none
  try {
    const opened = await homes.open(folder)
    if (opened === undefined) return none
    try {
      const running = (await opened.list()).filter(
        ({ status }) => status === 'active' || status === 'sleeping',
      )
      return { home: opened.home.path, running, notices: [] }
    } finally {
      await opened.close()
    }
  } catch (error) {
    return { ...none, notices: [error instanceof Error ? error.message : String(error)] }
  }
}
