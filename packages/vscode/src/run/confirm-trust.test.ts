import { beforeEach, expect, it, vi } from 'vitest'

// The parts of VS Code that the file uses, which exist only in its extension host.
const host = vi.hoisted(() => ({
  asked: [] as { message: string; detail: string; buttons: string[] }[],
  answers: [] as string[],
  texts: [] as string[],
}))
vi.mock('vscode', () => {
  let text = () => ''
  return {
    Uri: { from: (parts: object) => parts },
    window: {
      showWarningMessage: async (message: string, ...rest: (string | { detail: string })[]) => {
        const detail = rest.find((part) => typeof part === 'object')?.detail ?? ''
        const buttons = rest.filter((part) => typeof part === 'string')
        host.asked.push({ message, detail, buttons })
        return host.answers.shift()
      },
      showTextDocument: async (document: string) => void host.texts.push(document),
    },
    workspace: {
      registerTextDocumentContentProvider: (
        _: string,
        provider: { provideTextDocumentContent(): string },
      ) => {
        text = () => provider.provideTextDocumentContent()
        return { dispose: () => {} }
      },
      openTextDocument: async () => text(),
    },
  }
})
// Other test files have loaded these with their own VS Code mock.
vi.resetModules()
const { confirmTrust } = await import('./confirm-trust.ts')
beforeEach(() => {
  for (const list of [host.asked, host.answers, host.texts]) list.length = 0
})

const item = (file: string, what: string) => ({ path: file, sha256: file, file, what })
const hooks = Array.from({ length: 15 }, (_, n) =>
  item(`/r/.github/agents/${n}.md`, `runs ${n + 1} hooks while agents work (of the agent a${n})`),
)
const server = item('/r/.mcp.json', 'starts the MCP server evil')
const commands = item('/r/.cadre/allow', 'allows commands without approval')

it('shows every kind of item to trust, however many there are of one kind', async () => {
  host.answers.push('Trust')
  const missing = [...hooks, server, commands]
  expect(await confirmTrust({ folder: '/r', missing }, new Set())).toBe('yes')
  const { detail = '', buttons } = host.asked[0] ?? {}
  expect(detail).toContain('• Starts the MCP server evil – /r/.mcp.json')
  expect(detail).toContain('• Allows commands without approval – /r/.cadre/allow')
  expect(detail).toContain('… and 13 more of this kind')
  expect(buttons).toContain('Show All')
})

it('shows what a file does, however long its name is', async () => {
  const file = `/r/${'a'.repeat(200)}/${'b'.repeat(200)}.json`
  await confirmTrust({ folder: '/r', missing: [item(file, server.what)] }, new Set())
  expect(host.asked[0]?.detail).toMatch(/• Starts the MCP server evil – \/r\/a+…b+\.json\n/)
})

it('shows everything in a document and asks again', async () => {
  host.answers.push('Show All', "Don't Trust")
  expect(await confirmTrust({ folder: '/r', missing: [...hooks, server] }, new Set())).toBe('no')
  for (const { file } of [...hooks, server]) expect(host.texts[0]).toContain(file)
  expect(host.asked).toHaveLength(2)
})

it('offers no list if the dialog has shown everything', async () => {
  const declined = new Set<string>()
  expect(await confirmTrust({ folder: '/r', missing: [server] }, declined)).toBe('later')
  expect(host.asked[0]?.buttons).toEqual(['Trust', "Don't Trust"])
  expect(await confirmTrust({ folder: '/r', missing: [server] }, declined)).toBe('later')
  expect(host.asked).toHaveLength(1)
})
