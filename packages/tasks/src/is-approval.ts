import path from 'node:path'
import type { TaskItem } from './task-item.ts'

/** The file with approvals. Queries and tools can read it, but not change it. */
export const approvalsFile = 'approvals.task.md'

export function isApprovalsFile(file: string): boolean {
  return path.basename(file).toLowerCase() === approvalsFile
}

/** Returns whether a task is an approval, in any file. Only people decide approvals, not queries or tools. */
export function isApproval(file: string, { fields }: Pick<TaskItem, 'fields'>): boolean {
  return isApprovalsFile(file) || isApprovalType(fields.get('type'))
}

export function isApprovalType(type: string | null | undefined): boolean {
  return type?.trim().toLowerCase() === 'approval_request'
}
