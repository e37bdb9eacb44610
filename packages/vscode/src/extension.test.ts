import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ExtensionContext } from 'vscode'

const manifest: { contributes: { commands: { command: string }[] } } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

// Records registered commands until they are disposed; every other part of VS Code is a stub that can be called and
// disposed.
const host = vi.hoisted(() => {
  const registered = new Set<string>()
  const anything: object = new Proxy(function anything() {}, {
    get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : anything),
    apply: () => anything,
    construct: () => anything,
    set: () => true,
  })
  const withRest = (own: object): object =>
    new Proxy(own, {
      has: () => true,
      get: (_, key) => {
        if (key === 'then' || typeof key === 'symbol') return undefined
        return key in own ? Reflect.get(own, key) : anything
      },
    })
  const api = {
    commands: withRest({
      registerCommand: (name: string) => {
        registered.add(name)
        return { dispose: () => registered.delete(name) }
      },
    }),
    workspace: withRest({ isTrusted: false, workspaceFolders: [], textDocuments: [] }),
    window: withRest({
      visibleTextEditors: [],
      activeTextEditor: undefined,
      showErrorMessage: async () => {},
    }),
    extensions: withRest({ all: [] }),
    Disposable: {
      from: (...all: { dispose(): unknown }[]) => ({
        dispose: () => all.forEach((one) => void one.dispose()),
      }),
    },
  }
  return { registered, anything, api: withRest(api) }
})
vi.mock('vscode', () => host.api)
// Earlier test files may have loaded these modules with another VS Code mock.
vi.resetModules()

test('every command of the manifest has a handler until the extension is disposed, and every handler a command', async () => {
  // Later timers must not affect this test.
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  vi.resetModules()
  const { activate, deactivate } = await import('./extension.ts')
  const subscriptions: { dispose(): unknown }[] = []
  const context = { subscriptions, extension: { packageJSON: manifest } }
  activate(
    new Proxy(context, {
      get: (own, key) => Reflect.get(own, key) ?? host.anything,
    }) as unknown as ExtensionContext,
  )
  // Used only by the item "Show more" of a view.
  const hidden = ['copilotMultiAgent.showMoreSessions']
  const declared = manifest.contributes.commands.map(({ command }) => command)
  expect([...host.registered].toSorted()).toEqual([...declared, ...hidden].toSorted())
  await deactivate()
  for (const one of subscriptions) one.dispose()
  expect([...host.registered]).toEqual([])
})
