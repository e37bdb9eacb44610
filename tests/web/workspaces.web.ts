import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionSpec } from '@cadre/core'
import type { Home } from '@cadre/home'
import { createWorkspaces } from '@cadre/workspaces'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOf, neverAborted } from '../../packages/workspaces/src/workspaces.spec-helpers.ts'
import { accessibilityFaults, type Browser, launchBrowser } from './support/browser.ts'
import { liveServer } from './support/live-server.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

function makeRepository(project: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'pipe' })
  git('init', '-q')
  writeFileSync(path.join(project, 'a.txt'), 'one\ntwo\nthree\n')
  git('add', '.')
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', 'commit', '-qm', 'Start')
}

/** Two workspaces that change the same line, and one call more. */
async function makeWorkspaces(home: Home, base: string): Promise<void> {
  const keeper = createWorkspaces({ home })
  const call = async (session: string, id: string, file: string, text: string) => {
    const { path: workspace, base: start = '' } = keeper.find(session)
    const agent = { name: 'builder', description: '', prompt: '', tools: { kind: 'all' } }
    const isolation = { kind: 'own', session, base: start }
    const spec = { id: session, root: session, agent, workspace, isolation } as unknown as SessionSpec
    writeFileSync(path.join(workspace, file), text)
    await keeper.commitCall(spec, callOf(id, [file]), neverAborted)
  }
  for (const session of ['s-1', 's-2'])
    await keeper.prepare({ session, root: session, agent: 'builder', base }, neverAborted)
  await call('s-1', 'c1', 'a.txt', 'ONE\ntwo\nthree\n')
  await call('s-1', 'c2', 'new.txt', 'new\n')
  await call('s-2', 'c1', 'a.txt', '1\ntwo\nthree\n')
}

test('shows changes per workspace and per call, predicts conflicts, merges and rolls back', async () => {
  const server = await liveServer(browser, { prepare: (_, workspace) => makeRepository(workspace) })
  await makeWorkspaces(server.home, server.workspace)
  const page = await server.visit('/workspaces')
  await page.locator('.forecast[data-done="true"]').waitFor()
  expect(await page.locator('.forecast .forecast-conflict').count()).toBe(2)
  expect(await page.locator('.forecast').innerText()).toContain('a.txt')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.locator('[data-name="s-1"]').click()
  await page.locator('[data-detail="s-1"] .diff').waitFor()
  expect(await page.locator('.diff').innerText()).toContain('ONE')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.locator('.workspace-call select').selectOption('c2')
  await page.locator('.diff-added').filter({ hasText: 'ONE' }).waitFor({ state: 'detached' })
  await page.locator('.diff-added').filter({ hasText: 'new' }).waitFor()
  expect(page.url()).toContain('call=c2')
  await page.getByRole('button', { name: /^Roll back c2/ }).click()
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await page.locator('.outcome').filter({ hasText: 'Rolled back' }).waitFor()
  await page.getByRole('button', { name: 'Merge…' }).click()
  await page.getByRole('button', { name: 'Merge', exact: true }).click()
  await page.locator('.outcome').filter({ hasText: 'Merged.' }).waitFor()
  const merged = path.join(server.workspace, 'a.txt')
  expect(readFileSync(merged, 'utf8')).toBe('ONE\ntwo\nthree\n')
  expect(existsSync(path.join(server.workspace, 'new.txt'))).toBe(false)
  await page.goto(page.url().replace(/\/workspaces.*/, '/workspaces/s-2'))
  await page.locator('.own-forecast .forecast-conflict').waitFor()
  await page.getByRole('button', { name: 'Merge…' }).click()
  await page.getByRole('button', { name: 'Merge', exact: true }).click()
  await page.locator('.outcome-bad').waitFor()
  expect(await page.locator('.outcome-bad').innerText()).toContain('a.txt')
  expect(readFileSync(merged, 'utf8')).toBe('ONE\ntwo\nthree\n')
  expect(server.complaints).toEqual([])
})
