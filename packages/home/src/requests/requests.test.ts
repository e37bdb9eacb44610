import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Home } from '../home/home.ts'
import { openHome } from '../home/open-home.ts'
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

test('a request reaches only the process that runs the session', async () => {
  const home = createHome()
  const mine = watch(home, ['lead-1'])
  const others = watch(home, ['lead-2'])
  expect(await requestCancel({ home, session: 'lead-1' }, never)).toBe('taken')
  expect(mine).toEqual(['lead-1'])
  expect(others).toEqual([])
  expect(readdirSync(home.at('storage', 'requests'))).toEqual([])
})

test('carries out a request that was made before watching started', async () => {
  const home = createHome()
  const request = requestCancel({ home, session: 'lead-1' }, never)
  const cancelled = watch(home, ['lead-1'])
  expect(await request).toBe('taken')
  expect(cancelled).toEqual(['lead-1'])
})

test('removes a request that no process answers', async () => {
  const home = createHome()
  watch(home, [])
  const stop = new AbortController()
  const request = requestCancel({ home, session: 'lead-1' }, stop.signal)
  expect(existsSync(home.at('storage', 'requests', 'lead-1.cancel'))).toBe(true)
  stop.abort()
  expect(await request).toBe('unanswered')
  expect(readdirSync(home.at('storage', 'requests'))).toEqual([])
})

test('does not wait if the process that ran the session is gone', async () => {
  const home = createHome()
  expect(await requestCancel({ home, session: 'lead-1', isRunning: () => false }, never)).toBe('unanswered')
})

test('ignores a request that is older than the process', () => {
  const home = createHome()
  const file = join(home.folder('storage', 'requests'), 'lead-1.cancel')
  writeFileSync(file, JSON.stringify({ session: 'lead-1', at: '2020-01-01T00:00:00.000Z' }))
  expect(watch(home, ['lead-1'], Date.parse('2021-01-01'))).toEqual([])
  expect(existsSync(file)).toBe(true)
})

test('ignores files that are not requests', () => {
  const home = createHome()
  const folder = home.folder('storage', 'requests')
  for (const name of ['lead-1.cancel', 'lead-1.txt', '.lead-1.cancel'])
    writeFileSync(join(folder, name), 'not JSON')
  expect(watch(home, ['lead-1'])).toEqual([])
  expect(readdirSync(folder)).toHaveLength(3)
})
