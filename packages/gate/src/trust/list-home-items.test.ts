import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inspectHome, listHomeItems } from './list-home-items.ts'

function createHome() {
  const project = mkdtempSync(path.join(tmpdir(), 'cadre-home-items-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  const home = path.join(project, '.cadre')
  mkdirSync(home)
  const summaries = async (owns: boolean) =>
    listHomeItems(home, await inspectHome(home, { owns: () => owns })).map(({ what }) => what)
  return { project, home, summaries }
}

test('counts team files', async () => {
  const { home, summaries } = createHome()
  mkdirSync(path.join(home, 'teams/release/inboxes'), { recursive: true })
  writeFileSync(path.join(home, 'teams/release/config.json'), '{}')
  writeFileSync(path.join(home, 'teams/release/inboxes/lead.json'), '[]')
  expect(await summaries(false)).toEqual(['contains 2 team files, not created by you on this machine'])
})

test('shows links with their targets', async () => {
  const { home, summaries } = createHome()
  symlinkSync('..', path.join(home, 'teams'))
  symlinkSync('../x\u001b[2J', path.join(home, 'memory'))
  expect(await summaries(false)).toEqual([
    'contains a link from "memory" to "../x\\u001b[2J", a link from "teams" to "..", not created by you on this machine',
  ])
})

test('shows links that git tracks, and only a few of many', async () => {
  const { project, home, summaries } = createHome()
  execFileSync('git', ['init', '-q'], { cwd: project })
  for (let i = 1; i <= 7; i++) symlinkSync('..', path.join(home, `l${i}`))
  execFileSync('git', ['add', '-f', '.cadre'], { cwd: project })
  const [what = ''] = await summaries(true)
  expect(what).toContain('a link from "l1" to ".."')
  expect(what).toContain('a link from "l5" to "..", 2 more links')
  expect(what).not.toContain('"l6"')
})
