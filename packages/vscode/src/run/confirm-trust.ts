import { shownLine } from '@cadre/gate'
import type { ConfirmTrust } from '@cadre/runtime'
import * as vscode from 'vscode'
import { askInDialog, showWarning } from '../messages.ts'
import { trustText } from './trust-text.ts'

type Found = Parameters<ConfirmTrust>[0]

const trust = 'Trust'
const never = "Don't Trust"
const showAll = 'Show All'

/** Shows what a folder contains and asks whether to trust it. A postponed question is not asked again in this window. */
export async function confirmTrust(
  { folder, missing }: Pick<Found, 'folder' | 'missing'>,
  declined: Set<string>,
): Promise<'yes' | 'no' | 'later'> {
  const key = JSON.stringify(missing.map(({ path, sha256 }) => [path, sha256]))
  if (declined.has(key)) return 'later'
  const { short, whole, isShortened } = trustText(missing)
  const question = `Do you trust the agents, hooks and tools in ${shownLine(folder, 200)}?`
  const detail = [
    'This folder contains files that can run programs, start work or grant permissions:',
    '',
    short,
    '',
    'Until you trust them, Cadre ignores them and agents are read-only. Your decision applies until these files change.',
  ].join('\n')
  let said = await askInDialog(question, detail, trust, never, ...(isShortened ? [showAll] : []))
  if (said === showAll) {
    await showText(`${question}\n\n${whole}\n`)
    // Not a dialog, because it would cover the list.
    said = await showWarning(`${question} The list is in the editor.`, trust, never)
  }
  if (said === trust) return 'yes'
  if (said === never) return 'no'
  declined.add(key)
  return 'later'
}

const scheme = 'copilot-multi-agent-trust'

/** In a read-only document. */
async function showText(text: string): Promise<void> {
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: () => text,
  })
  try {
    const uri = vscode.Uri.from({ scheme, path: '/Files to trust.txt', query: String(Date.now()) })
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true })
  } finally {
    provider.dispose()
  }
}
