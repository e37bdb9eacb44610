import { type FSWatcher, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome, until } from '../daemon/daemon.spec-helpers.ts'
import { type WatchHomeOptions, watchHome } from './watch-home.ts'

async function watching(options: Partial<WatchHomeOptions> = {}) {
  const { home } = temporaryHome()
  const told: string[] = []
  const failures: (string | undefined)[] = []
  const watch = watchHome({
    home,
    folders: ['tasks', 'approvals/pending'],
    settleMs: 20,
    changed: (_, files) => told.push(...files),
    failed: (_, why) => failures.push(why),
    ...options,
  })
  home.folder('tasks')
  onTestFinished(() => watch.stop())
  await watch.start()
  return { home, told, failures }
}

test('reports created, changed, replaced and deleted files, but not drafts', async () => {
  const { home, told } = await watching()
  const file = home.at('tasks', 'a.task.md')
  const told1 = async (what: () => void) => {
    told.length = 0
    what()
    await until(() => told.length > 0)
    expect(new Set(told)).toEqual(new Set(['tasks/a.task.md']))
  }
  await told1(() => writeFileSync(file, 'one'))
  await told1(() => writeFileSync(file, 'two'))
  await told1(() => {
    writeFileSync(`${file}.tmp`, 'three')
    renameSync(`${file}.tmp`, file)
  })
  await told1(() => rmSync(file))
})

test('reports a file when it stops changing, and at intervals if it does not', async () => {
  const { home, told } = await watching({ settleMs: 100 })
  const file = home.at('tasks', 'a.task.md')
  let writes = 0
  const timer = setInterval(() => {
    for (let i = 0; i < 20; i += 1) writeFileSync(file, `${++writes}`)
  }, 5)
  onTestFinished(() => clearInterval(timer))
  await until(() => told.length > 0)
  // Fewer reports than writes, but at least one, however busy the machine is.
  expect(told.length * 5).toBeLessThan(writes)
})

test('watches a folder that is created, deleted and created again', async () => {
  const { home, told } = await watching({ scanMs: 1000 })
  const folder = home.at('approvals', 'pending')
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/a.approval.md`, 'one')
  await until(() => told.includes('approvals/pending/a.approval.md'))
  renameSync(folder, home.at('elsewhere'))
  await until(() => told.filter((name) => name === 'approvals/pending/a.approval.md').length > 1)
  mkdirSync(folder)
  writeFileSync(`${folder}/b.approval.md`, 'one')
  await until(() => told.includes('approvals/pending/b.approval.md'))
  rmSync(home.at('approvals'), { recursive: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/c.approval.md`, 'one')
  await until(() => told.includes('approvals/pending/c.approval.md'))
})

test('scans and reports a folder that the system cannot watch', async () => {
  const { home, told, failures } = await watching({
    unwatchedScanMs: 20,
    watch: (() => {
      throw new Error('ENOSPC: System limit for number of file watchers reached')
    }) as unknown as NonNullable<WatchHomeOptions['watch']>,
  })
  expect(failures[0]).toContain('ENOSPC')
  writeFileSync(home.at('tasks', 'a.task.md'), 'one')
  await until(() => told.includes('tasks/a.task.md'))
  told.length = 0
  rmSync(home.at('tasks', 'a.task.md'))
  await until(() => told.includes('tasks/a.task.md'))
})

test('misses no change if the system reports none', async () => {
  const silent = { on: () => silent, close: () => {} } as unknown as FSWatcher
  const { home, told } = await watching({
    scanMs: 30,
    watch: (() => silent) as unknown as NonNullable<WatchHomeOptions['watch']>,
  })
  writeFileSync(home.at('tasks', 'a.task.md'), 'one')
  await until(() => told.includes('tasks/a.task.md'))
})
