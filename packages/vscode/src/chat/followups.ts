import type * as vscode from 'vscode'
import { isSessionId } from '../home/session-id.ts'

/** What a person may want next. Handoffs are buttons: they know whether to send at once. */
export function followups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const { status, session } = metadata ?? {}
  if (typeof status !== 'string' || status === 'completed') return []
  const show: vscode.ChatFollowup = { label: 'Show status', prompt: 'status', command: 'status' }
  // One that is incomplete has reported: nothing is left to continue.
  if (!isSessionId(session) || status === 'incomplete') return [show]
  return [{ label: 'Continue', prompt: session, command: 'approve' }, show]
}
