import type * as vscode from 'vscode'
import { isSessionId } from '../home/session-id.ts'

/** Suggested next actions. Handoffs are buttons, because these can send immediately. */
export function followups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const { status, session } = metadata ?? {}
  if (typeof status !== 'string' || status === 'completed') return []
  const show: vscode.ChatFollowup = { label: 'Show status', prompt: 'status', command: 'status' }
  // An incomplete session has reported, so there is nothing to continue.
  if (!isSessionId(session) || status === 'incomplete') return [show]
  return [{ label: 'Continue', prompt: session, command: 'approve' }, show]
}
