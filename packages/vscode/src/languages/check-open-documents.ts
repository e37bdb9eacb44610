import * as vscode from 'vscode'
import { throttle } from '../home/throttle.ts'
import type { Services } from '../services.ts'

export interface OpenCheck {
  readonly name: string
  readonly isMeant: (document: vscode.TextDocument) => boolean
  /** `undefined`: the document has changed meanwhile. */
  readonly check: (document: vscode.TextDocument) => Promise<readonly vscode.Diagnostic[] | undefined>
}

/** Updates the problems of open documents of one kind, shortly after each change. */
export function checkOpenDocuments({ log }: Pick<Services, 'log'>, one: OpenCheck): vscode.Disposable {
  const problems = vscode.languages.createDiagnosticCollection(one.name)
  const changed = new Set<vscode.TextDocument>()
  const work = throttle(
    async () => {
      const documents = [...changed].filter(({ isClosed }) => !isClosed)
      changed.clear()
      for (const document of documents) {
        try {
          const found = await one.check(document)
          if (found !== undefined && !document.isClosed) problems.set(document.uri, found)
        } catch (error) {
          log.error(`Checking ${document.uri.fsPath} failed.`, error instanceof Error ? error : String(error))
        }
      }
    },
    { pause: 0, quiet: 400, log },
  )
  const look = (document: vscode.TextDocument) => {
    if (!one.isMeant(document)) return
    changed.add(document)
    work.soon()
  }
  for (const document of vscode.workspace.textDocuments) look(document)
  return vscode.Disposable.from(
    problems,
    work,
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => problems.delete(uri)),
  )
}
