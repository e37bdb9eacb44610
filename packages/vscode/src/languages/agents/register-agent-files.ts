import * as vscode from 'vscode'
import { throttle } from '../../home/throttle.ts'
import type { Services } from '../../services.ts'
import { createGuard } from '../guarded.ts'
import { agentGlobs, isAgentPath } from './agent-path.ts'
import { isAgentDocument, openAgentFiles } from './open-texts.ts'

const selector: vscode.DocumentSelector = agentGlobs.map((pattern) => ({ scheme: 'file', pattern }))
const fixAll = vscode.CodeActionKind.SourceFixAll.append('cadre')

/** Problems, quick fixes, completion and hovers for agent files. The engine is loaded when the first such file exists. */
export function registerAgentFiles(services: Services): vscode.Disposable {
  const { log } = services
  const language = () => import('./agent-language.ts')
  const guarded = createGuard(log)
  return vscode.Disposable.from(
    checkAgentFiles(services),
    vscode.languages.registerCompletionItemProvider(
      selector,
      {
        provideCompletionItems: (document, position) =>
          guarded('Completing an agent file', async () =>
            isAgentDocument(document)
              ? (await language()).completeHeader(document, position, services)
              : undefined,
          ),
      },
      ':',
      ' ',
      '[',
      ',',
    ),
    vscode.languages.registerHoverProvider(selector, {
      provideHover: (document, position) =>
        guarded('Showing the hover for an agent file', async () =>
          isAgentDocument(document)
            ? (await language()).hoverHeader(document, position, services)
            : undefined,
        ),
    }),
    vscode.languages.registerCodeActionsProvider(
      selector,
      {
        provideCodeActions: (document, _range, { diagnostics }) =>
          guarded('Fixing an agent file', async () =>
            isAgentDocument(document)
              ? (await language()).fixesFor(
                  document,
                  diagnostics.filter(({ source }) => source === 'Cadre'),
                )
              : undefined,
          ),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, fixAll] },
    ),
  )
}

/**
 * Updates the problems of agent files. Agents refer to each other, so after a save, creation or deletion all files are
 * checked; while typing, only the open ones.
 */
function checkAgentFiles(services: Services): vscode.Disposable {
  const { log, settings } = services
  const problems = vscode.languages.createDiagnosticCollection('cadre-agents')
  let files: readonly string[] = []
  const check = async (which: () => Promise<readonly string[]>) => {
    try {
      const wanted = await which()
      if (wanted.length === 0) return
      const { checkAgents } = await import('./check-agents.ts')
      for (const [file, found] of await checkAgents(wanted, files, services))
        problems.set(vscode.Uri.file(file), found)
    } catch (error) {
      log.error('Checking agent files failed.', error instanceof Error ? error : String(error))
    }
  }
  const openPaths = () => openAgentFiles().map(({ uri }) => uri.fsPath)
  const open = throttle(() => check(async () => openPaths()), { pause: 0, quiet: 300, log })
  const all = throttle(
    () =>
      check(async () => {
        // In Restricted Mode, only open files are read.
        files = vscode.workspace.isTrusted
          ? await (await import('./find-workspace-agent-files.ts')).findWorkspaceAgentFiles()
          : []
        const known = new Set([...files, ...openPaths()])
        for (const [uri] of problems) if (!known.has(uri.fsPath)) problems.delete(uri)
        return [...known]
      }),
    { pause: 0, quiet: 500, log },
  )
  const watchers = agentGlobs.map((glob) => vscode.workspace.createFileSystemWatcher(glob))
  const changed = (uri: vscode.Uri) => {
    if (isAgentPath(uri.fsPath)) all.soon()
  }
  const opened = (document: vscode.TextDocument) => {
    if (isAgentDocument(document)) open.soon()
  }
  all.soon()
  return vscode.Disposable.from(
    problems,
    open,
    all,
    ...watchers,
    ...watchers.flatMap((watcher) => [
      watcher.onDidCreate(changed),
      watcher.onDidChange(changed),
      watcher.onDidDelete(changed),
    ]),
    settings.onDidChange(() => all.soon()),
    vscode.workspace.onDidOpenTextDocument(opened),
    vscode.workspace.onDidChangeTextDocument(({ document }) => opened(document)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => changed(uri)),
  )
}
