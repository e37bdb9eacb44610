import * as vscode from 'vscode'
import type { Services } from '../../services.ts'
import { checkOpenDocuments } from '../check-open-documents.ts'
import { createGuard } from '../guarded.ts'

const selector: vscode.DocumentFilter = { scheme: 'file', pattern: '**/*.session.yaml' }

/** Folding, outline and problems of session files. */
export function registerSessionFiles(services: Services): vscode.Disposable {
  const guarded = createGuard(services.log)
  const language = () => import('./session-language.ts')
  return vscode.Disposable.from(
    vscode.languages.registerFoldingRangeProvider(selector, {
      provideFoldingRanges: (document) =>
        guarded('Folding a session file', async () => (await language()).foldSession(document)),
    }),
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: (document) =>
        guarded('Outlining a session file', async () => (await language()).sessionSymbols(document)),
    }),
    checkOpenDocuments(services, {
      name: 'cadre-sessions',
      isMeant: (document) => vscode.languages.match(selector, document) > 0,
      check: async (document) => (await language()).checkSession(document),
    }),
  )
}
