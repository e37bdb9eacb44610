import { beforeEach, expect, it, vi } from 'vitest'
import type { Services } from '../../services.ts'
import type { ApprovalItem } from './approval-item.ts'

const shown: string[] = []
let choice: string | undefined
vi.mock('vscode', () => ({
  window: {
    showWarningMessage: async (_: string, { detail }: { detail: string }, ...buttons: string[]) => {
      shown.push(detail)
      return buttons.find((button) => button === choice)
    },
    setStatusBarMessage: () => {},
  },
}))
// Earlier test files may have loaded these modules with another VS Code mock.
vi.resetModules()
const { approveForSession } = await import('./decide-command.ts')

const answers: string[] = []
const services = {
  runs: {
    answer: (_session: string, _question: string, { decision }: { decision: string }) => {
      answers.push(decision)
      return true
    },
  },
} as unknown as Services
const item: ApprovalItem = {
  id: 'a',
  session: 's',
  root: 's',
  question: 'approval/1',
  agent: 'worker',
  risk: 'MEDIUM',
  title: 'Write a.txt',
  text: `Path: a.txt\nArgument content: ${'x'.repeat(5_000)}`,
  isWhole: false,
  isDoubt: false,
  isRepeatable: true,
  grants: ['write in the workspace'],
  created: '2026-01-01T00:00:00.000Z',
  isShown: false,
}

beforeEach(() => {
  shown.length = 0
  answers.length = 0
  choice = undefined
})

it('approves an item for a session after showing the action and what that permits', async () => {
  await approveForSession(services, item, item)
  expect(shown).toEqual([
    expect.stringMatching(
      /^For the rest of the session, this permits: write in the workspace\n\nPath: a\.txt\n/,
    ),
  ])
  expect(answers).toEqual([])
  choice = 'Approve for This Session'
  await approveForSession(services, item, item)
  expect(answers).toEqual(['approve-session'])
})

it('the chat has shown both next to its button', async () => {
  await approveForSession(services, { session: 's', question: 'approval/1' })
  expect(shown).toEqual([])
  expect(answers).toEqual(['approve-session'])
})
