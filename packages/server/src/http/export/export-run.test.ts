import { readStoredSession } from '@cadre/journal'
import { expect, it } from 'vitest'
import { askingEntries, temporaryHome, writeSession } from '../page.spec-helpers.ts'
import { exportRun } from './export-run.ts'

const token = `ghp_${'a1'.repeat(18)}`

async function exported(env: NodeJS.ProcessEnv = {}) {
  const home = temporaryHome()
  writeSession(home, 'lead-1', [{ role: 'user', content: `Use ${token}, or pa55-from-environment.` }])
  writeSession(home, 'builder-1', askingEntries(`curl -H "Authorization: Bearer ${token}" x`), {
    root: 'lead-1',
    parent: { session: 'lead-1', call: 'c1' },
    depth: 1,
  })
  writeSession(home, 'other-1', [{ role: 'user', content: 'Not in this run.' }])
  const sessions = ['builder-1', 'lead-1', 'other-1'].flatMap((id) => readStoredSession(home, id) ?? [])
  return exportRun({
    sessions,
    root: 'lead-1',
    shown: 'builder-1',
    isRunning: false,
    env,
    version: '1.2.3',
    now: '2026-11-15T10:00:00.000Z',
  })
}

it('contains one run, parents before children, with its approvals', async () => {
  const run = await exported()
  expect(run).toMatchObject({ format: 1, version: '1.2.3', root: 'lead-1', shown: 'builder-1' })
  expect(run.sessions.map(({ detail }) => detail.row.id)).toEqual(['lead-1', 'builder-1'])
  expect(run.sessions[0]?.detail.row.subtree).toMatchObject({ sessions: 2, waiting: 1 })
  expect(run.sessions[1]?.entries).toHaveLength(4)
  expect(run.approvals).toHaveLength(1)
  expect(JSON.stringify(run)).not.toContain('Not in this run.')
})

it('masks secrets in messages, calls and actions, and secret values from the environment', async () => {
  const text = JSON.stringify(await exported({ MY_SECRET: 'pa55-from-environment' }))
  expect(text).not.toContain(token)
  expect(text).not.toContain('pa55-from-environment')
  expect(text).toContain('ghp_***')
  expect(text).toContain('Bearer ghp_***')
})

it("masks a secret value that is escaped in a call's JSON", async () => {
  const value = 'pa"ss\\word-1'
  const home = temporaryHome()
  writeSession(home, 'lead-1', askingEntries(`deploy ${value}`))
  const run = await exportRun({
    sessions: [readStoredSession(home, 'lead-1') ?? []].flat(),
    root: 'lead-1',
    shown: 'lead-1',
    isRunning: false,
    env: { DEPLOY_PASSWORD: value },
    version: '1.2.3',
    now: '2026-11-15T10:00:00.000Z',
  })
  expect(JSON.stringify(run)).not.toContain('word-1')
})

it("does not contain agents' prompts", async () => {
  expect(JSON.stringify(await exported())).not.toContain('system_prompt')
  expect(JSON.stringify((await exported()).sessions[0]?.detail)).not.toContain('"prompt"')
})

it("masks named secrets in a call's arguments, and people's tokens", async () => {
  const home = temporaryHome()
  const person = `cadre_${'aB3-'.repeat(11)}`
  writeSession(home, 'lead-1', askingEntries(`curl -d '{"password":"correct-horse"}' https://x # ${person}`))
  const run = await exportRun({
    sessions: [readStoredSession(home, 'lead-1') ?? []].flat(),
    root: 'lead-1',
    shown: 'lead-1',
    isRunning: false,
    env: {},
    version: '1.2.3',
    now: '2026-11-15T10:00:00.000Z',
  })
  const text = JSON.stringify(run)
  expect(text).not.toContain('correct-horse')
  expect(text).not.toContain(person)
})
