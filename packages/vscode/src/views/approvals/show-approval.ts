import * as vscode from 'vscode'
import type { Services } from '../../services.ts'
import { noLongerPending, type QuestionTarget } from './approval-item.ts'
import type { ApprovalContent } from './read-approvals.ts'

const scheme = 'copilot-multi-agent-approval'
/** The number of closed documents whose text is kept. */
const maxDocuments = 100

export interface ApprovalDocuments extends vscode.Disposable {
  /** Opens the content of an approval: a diff of files, or the complete text. Read-only. */
  show(target: QuestionTarget): Promise<void>
}

export function createApprovalDocuments(services: Services): ApprovalDocuments {
  const changed = new vscode.EventEmitter<vscode.Uri>()
  const texts = new Map<string, string>()
  const put = (path: string, text: string): vscode.Uri => {
    const uri = vscode.Uri.from({ scheme, path: `/${path}` })
    const key = uri.toString()
    texts.delete(key)
    texts.set(key, text)
    for (const oldest of texts.keys()) if (texts.size > maxDocuments) texts.delete(oldest)
    changed.fire(uri)
    return uri
  }
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) =>
      texts.get(uri.toString()) ??
      'This approval is no longer shown. Open it again from the Approvals view.\n',
  })
  return {
    async show(target) {
      const action = await actionOf(services, target)
      if (action === undefined) throw new Error(noLongerPending)
      const { item, files, text } = action
      if (files === undefined) {
        const name = `${item.agent.replace(/[^\w-]+/g, '-')}.approval.txt`
        const document = await vscode.workspace.openTextDocument(put(`${item.id}/${name}`, text))
        await vscode.window.showTextDocument(document, { preview: true })
        return
      }
      const sides = files.map(({ path, before = '', after = '' }) => ({
        path,
        before: put(`${item.id}/now/${path}`, before),
        after: put(`${item.id}/after/${path}`, after),
      }))
      const [only, second] = sides
      if (only !== undefined && second === undefined) {
        const title = `${only.path} (now ↔ if you approve)`
        await vscode.commands.executeCommand('vscode.diff', only.before, only.after, title, { preview: true })
        return
      }
      const resources = sides.map(({ before, after }) => [after, before, after])
      await vscode.commands.executeCommand('vscode.changes', 'If you approve', resources)
    },
    dispose() {
      provider.dispose()
      changed.dispose()
      texts.clear()
    },
  }
}

async function actionOf({ homes }: Services, target: QuestionTarget): Promise<ApprovalContent | undefined> {
  const { readAction } = await import('./read-approvals.ts')
  return homes.find((sessions) => readAction(sessions, target))
}
