import path from 'node:path'
import type { TaskItem } from './task-item.ts'

/** Where approvals are: read like any other file, and changed by nobody who asks for something. */
export const approvalsFile = 'approvals.task.md'

export function isApprovalsFile(file: string): boolean {
  return path.basename(file).toLowerCase() === approvalsFile
}

/** Whether a task is an approval, whatever file it stands in: people decide those, no query and no tool. */
export function isApproval(file: string, { fields }: Pick<TaskItem, 'fields'>): boolean {
  return isApprovalsFile(file) || isApprovalType(fields.get('type'))
}

export function isApprovalType(type: string | null | undefined): boolean {
  return type?.trim().toLowerCase() === 'approval_request'
}
