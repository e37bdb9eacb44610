import { expect, test, vi } from 'vitest'
import type { LogOutputChannel } from 'vscode'

// The parts of VS Code that the files use, which exist only in its extension host.
const host = vi.hoisted(() => {
  const shown: string[] = []
  const commands = new Map<string, (argument: unknown) => Promise<unknown>>()
  return {
    shown,
    commands,
    api: {
      window: { showErrorMessage: async (message: string) => void shown.push(message) },
      commands: {
        registerCommand: (name: string, work: (argument: unknown) => Promise<unknown>) => {
          commands.set(name, work)
          return { dispose: () => commands.delete(name) }
        },
      },
    },
  }
})
vi.mock('vscode', () => host.api)
// Earlier test files may have loaded these modules with another VS Code mock.
vi.resetModules()
const { registerCommand } = await import('./register-command.ts')
const { runOrReport } = await import('./settings/run-or-report.ts')
const log = { error: () => {}, show: () => {} } as unknown as LogOutputChannel

test('an error is a message without links, and never reaches VS Code', async () => {
  const fail = () => {
    throw new Error('there is no agent [x](command:evil)')
  }
  registerCommand(log, 'handoff', fail)
  await host.commands.get('copilotMultiAgent.handoff')?.({})
  await runOrReport({ log }, 'The status could not be shown', fail)
  expect(host.shown).toEqual([
    'There is no agent [x] (command:evil)',
    'The status could not be shown: there is no agent [x] (command:evil)',
  ])
})
