import { beforeEach, expect, test, vi } from 'vitest'
import type { CancellationToken } from 'vscode'
import type { Services } from '../services.ts'

// The parts of VS Code that the file uses, which exist only in its extension host.
const host = vi.hoisted(() => {
  const folders: { uri: { scheme: string; fsPath: string } }[] = []
  return {
    folders,
    api: {
      window: { activeTextEditor: undefined },
      workspace: { workspaceFolders: folders },
      lm: { selectChatModels: () => Promise.reject(new Error('the models are not ready')) },
    },
  }
})
vi.mock('vscode', () => host.api)
// Earlier test files may have loaded these modules with another VS Code mock.
vi.resetModules()
const { delegate } = await import('./delegate-tool.ts')

const faults: string[] = []
const services = { log: { error: (error: Error) => faults.push(error.message) } } as unknown as Services
const token = { onCancellationRequested: () => ({ dispose() {} }) } as unknown as CancellationToken
const ask = () =>
  delegate({ agentName: 'worker', workDescription: 'Do your part.' }, undefined, { services, token })

beforeEach(() => {
  faults.length = 0
  host.folders.length = 0
})

test('reports in the result that models cannot be listed', async () => {
  host.folders.push({ uri: { scheme: 'file', fsPath: '/a' } })
  expect(await ask()).toBe('Failed: the models are not ready')
  expect(faults).toEqual(['the models are not ready'])
})

test.each(['vscode-vfs', undefined])(
  'agents do not work in a folder that is not on disk: %s',
  async (scheme) => {
    if (scheme !== undefined) host.folders.push({ uri: { scheme, fsPath: '/a' } })
    expect(await ask()).toBe('Failed: no folder is open. Agents work on the files in a folder.')
  },
)
