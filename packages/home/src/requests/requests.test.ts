import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Home, openHome } from '../home/open-home.ts'
import { requestCancel } from './request-cancel.ts'
import { watchRequests } from './watch-requests.ts'

function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-requests-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return openHome({ home: join(folder, 'home'), cwd: folder, env: {} })
}

function watch(home: Home, running: readonly string[], since = 0): string[] {
  const cancelled: string[] = []
  const watching = watchRequests({
    home,
    since,
    cancel(session) {
      if (!running.includes(session)) return false
      cancelled.push(session)
      return true
    },
  })
  onTestFinished(() => watching.close())
  return cancelled
}

const never = new AbortController().signal

test('a request reaches the process that runs the session, and that alone', async () => {
  const home = createHome()
  const mine = watch(home, ['lead-1'])
  const others = watch(home, ['lead-2'])
  expect(await requestCancel({ home, session: 'lead-1' }, never)).toBe('taken')
  expect(mine).toEqual(['lead-1'])
  expect(others).toEqual([])
  expect(readdirSync(home.at('storage', 'requests'))).toEqual([])
})

test('a request that was made before anybody watched is carried out as soon as somebody does', async () => {
  const home = createHome()
  const request = requestCancel({ home, session: 'lead-1' }, never)
  const cancelled = watch(home, ['lead-1'])
  expect(await request).toBe('taken')
  expect(cancelled).toEqual(['lead-1'])
})

test('a request nobody takes up is taken back', async () => {
  const home = createHome()
  watch(home, [])
  const stop = new AbortController()
  const request = requestCancel({ home, session: 'lead-1' }, stop.signal)
  expect(existsSync(home.at('storage', 'requests', 'lead-1.cancel'))).toBe(true)
  stop.abort()
  expect(await request).toBe('unanswered')
  expect(readdirSync(home.at('storage', 'requests'))).toEqual([])
})

test('nobody is waited for when the process that ran the session is gone', async () => {
  const home = createHome()
  expect(await requestCancel({ home, session: 'lead-1', isRunning: () => false }, never)).toBe('unanswered')
})

test('a request that was left behind is not carried out by a process that began later', () => {
  const home = createHome()
  const file = join(home.folder('storage', 'requests'), 'lead-1.cancel')
  writeFileSync(file, JSON.stringify({ session: 'lead-1', at: '2020-01-01T00:00:00.000Z' }))
  expect(watch(home, ['lead-1'], Date.parse('2021-01-01'))).toEqual([])
  expect(existsSync(file)).toBe(true)
})

test('what is no request is left alone', () => {
  const home = createHome()
  const folder = home.folder('storage', 'requests')
  for (const name of ['lead-1.cancel', 'lead-1.txt', '.lead-1.cancel'])
    writeFileSync(join(folder, name), 'not JSON')
  expect(watch(home, ['lead-1'])).toEqual([])
  expect(readdirSync(folder)).toHaveLength(3)
})
