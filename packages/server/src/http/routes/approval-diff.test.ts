import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ApprovalDiff } from '@cadre/api'
import type { Home } from '@cadre/home'
import { expect, it } from 'vitest'
import { askingEntries, send, temporaryHome, writeSession } from '../page.spec-helpers.ts'
import { testSite } from '../site.spec-helpers.ts'

/** The entries of a session that wants to write a file. */
function writingEntries(file: string) {
  const args = JSON.stringify({ path: file, content: 'TOKEN=new\n' })
  const text = JSON.stringify(askingEntries())
    .replaceAll('run_command', 'write_file')
    .replaceAll('terminal_command', 'file_write')
    .replaceAll(JSON.stringify(JSON.stringify({ command: 'npm test' })), JSON.stringify(args))
  return JSON.parse(text) as ReturnType<typeof askingEntries>
}

/** The answer to a viewer about a session that wants to write `file`. */
async function diffOf(file: string, prepare: (home: Home, workspace: string) => void): Promise<ApprovalDiff> {
  const home = temporaryHome()
  const workspace = home.at('..', 'work')
  mkdirSync(path.join(workspace, 'config'), { recursive: true })
  for (const name of ['.env', 'notes.txt', 'config/key'])
    writeFileSync(path.join(workspace, name), 'TOKEN=old\n')
  prepare(home, workspace)
  writeSession(home, 'lead-1', writingEntries(file), { workspace })
  const environment = { env: { HOME: home.at('..', 'user') }, cwd: workspace, warn: () => {} }
  const site = await testSite(home, { environment, workspace })
  const headers = await site.login(['viewer'])
  const list = await send(site.address, '/api/approvals', { headers })
  const [approval] = list.json<{ items: { id: string }[] }>().items
  return (await send(site.address, `/api/approvals/${approval?.id}/diff`, { headers })).json<ApprovalDiff>()
}

const policy = (text: string) => (home: Home) => writeFileSync(`${home.folder('storage')}/policy.yaml`, text)

it('shows the change to a file that agents may read', async () => {
  const diff = await diffOf('notes.txt', policy('paths:\n  deny:\n    read: [.env]\n'))
  expect(diff).toMatchObject({ patch: expect.stringContaining('-TOKEN=old\n+TOKEN=new') })
})

it.each<[string, string, (home: Home, workspace: string) => void]>([
  ['a policy denies to agents', '.env', policy('paths:\n  deny:\n    read: [.env]\n')],
  ['is in a denied folder', 'config/key', policy('paths:\n  deny:\n    read: [config]\n')],
  [
    'settings of the project deny to agents',
    '.env',
    (_, workspace) => {
      mkdirSync(path.join(workspace, '.claude'))
      const settings = { permissions: { deny: ['Read(./.env)'] } }
      writeFileSync(path.join(workspace, '.claude', 'settings.json'), JSON.stringify(settings))
    },
  ],
  ['an invalid policy may deny to agents', '.env', policy('paths: {deny: {raed: [.env]}}\n')],
])('does not show the content of a file that %s', async (_, file, prepare) => {
  const diff = await diffOf(file, prepare)
  expect(diff).toEqual({ patch: '', note: expect.stringContaining(`agents may not read ${file}`) })
})
