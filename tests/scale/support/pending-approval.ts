import { expect } from 'vitest'
import type { Project } from '../../cli/support/project.ts'
import { until } from '../../cli/support/until.ts'

/** Waits for a pending approval of this type, and returns its id. */
export async function pendingApproval(project: Project, type: string): Promise<string> {
  let found: string | undefined
  await until(async () => {
    const { stdout } = await project.cadre(['approvals', '--json', '--trust'])
    const waiting = JSON.parse(stdout || '[]') as { id: string; type: string }[]
    found = waiting.find((one) => one.type === type)?.id
    return found !== undefined
  })
  return found as string
}

/** Waits for a pending approval of this type, and approves it with the command. */
export async function approve(project: Project, type: string, ...flags: readonly string[]): Promise<void> {
  const id = await pendingApproval(project, type)
  expect((await project.cadre(['approve', id, ...flags, '--trust'])).code).toBe(0)
}
