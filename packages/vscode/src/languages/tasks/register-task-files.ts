import * as vscode from 'vscode'
import type { Services } from '../../services.ts'
import { checkOpenDocuments } from '../check-open-documents.ts'
import { createGuard } from '../guarded.ts'

/** Task files stay Markdown for VS Code, with its preview, links and all other features. */
const selector: vscode.DocumentFilter = { scheme: 'file', pattern: '**/*.task.md' }

/** Problems, completion, folding and outline of task files. */
export function registerTaskFiles(services: Services): vscode.Disposable {
  const { log } = services
  const guarded = createGuard(log)
  const language = () => import('./task-language.ts')
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(
      selector,
      {
        provideCompletionItems: (document, position) =>
          guarded('Completing a task file', async () =>
            (await language()).completeTask(document, position, services),
          ),
      },
      '@',
      '#',
      '[',
      ' ',
    ),
    vscode.languages.registerFoldingRangeProvider(selector, {
      provideFoldingRanges: (document) =>
        guarded('Folding a task file', async () => (await language()).foldTasks(document)),
    }),
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: (document) =>
        guarded('Outlining a task file', async () => (await language()).taskSymbols(document)),
    }),
    checkOpenDocuments(services, {
      name: 'cadre-tasks',
      isMeant: (document) => vscode.languages.match(selector, document) > 0,
      check: async (document) => (await language()).checkTasks(document),
    }),
  )
}
