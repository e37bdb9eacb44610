import * as vscode from 'vscode'
import type { Services } from '../services.ts'

const scheme = 'copilot-multi-agent'

/** Shows the status in a read-only document. */
export function createStatusDocument(services: Services): vscode.Disposable & { show(): Promise<void> } {
  const changed = new vscode.EventEmitter<vscode.Uri>()
  const uri = vscode.Uri.from({ scheme, path: '/Agents status.md' })
  let text = ''
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: () => text,
  })
  return {
    async show() {
      const [{ loadStatus }, { statusText }] = await Promise.all([
        import('./load-status.ts'),
        import('./status-text.ts'),
      ])
      text = statusText(await loadStatus(services))
      changed.fire(uri)
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true })
    },
    dispose() {
      provider.dispose()
      changed.dispose()
    },
  }
}
