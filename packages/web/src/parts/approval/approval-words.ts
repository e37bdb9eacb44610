import type { Approval } from '@cadre/api'
import { plural } from '../format.ts'

/** The agent's request, for use after its name: "wants to run a command". */
export function describeRequest({ type, action }: Pick<Approval, 'type' | 'action'>): string {
  if (type === 'terminal_command') return 'wants to run a command'
  if (type === 'in_doubt') return 'was interrupted during a call'
  if (type !== 'file_write') return `wants to use ${type}`
  // The action has one path on each line.
  const files = action.split('\n').length
  return files === 1 ? 'wants to write a file' : `wants to write ${plural(files, 'file')}`
}

/** The people who must approve, for use after the count: "approvals from people with the role approver or admin". */
export function neededWords({ roles, notByStarter }: NonNullable<Approval['needed']>): string {
  const from = roles.length === 0 ? '' : ` from people with the role ${roles.join(' or ')}`
  return `approvals${from}${notByStarter ? ', but not from people who influenced the run' : ''}`
}
