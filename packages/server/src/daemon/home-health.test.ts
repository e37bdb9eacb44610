import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProblems } from './create-problems.ts'
import { temporaryHome } from './daemon.spec-helpers.ts'
import { watchHealth } from './home-health.ts'

function opened() {
  const { home } = temporaryHome()
  const problems = createProblems(() => {})
  let recoveries = 0
  const health = watchHealth({ home, problems, recovered: () => recoveries++ })
  return { home, problems, health, recoveries: () => recoveries }
}
const failure = (code: string) => Object.assign(new Error(`${code}: it failed`), { code, syscall: 'write' })

test('ignores errors that are caused by a file', () => {
  const { health, problems } = opened()
  expect(health.suspect(failure('ENOENT'))).toBe(false)
  expect(health.suspect(new Error('a bug'))).toBe(false)
  health.look()
  expect(problems.list()).toEqual([])
  expect(health.isHealthy).toBe(true)
})

test('reports a full disk immediately and once, until a write succeeds', () => {
  const { health, problems, recoveries } = opened()
  expect(health.suspect(failure('ENOSPC'))).toBe(true)
  expect(health.suspect(failure('ENOSPC'))).toBe(true)
  expect(problems.list()).toMatchObject([
    { file: '[home]', message: expect.stringContaining('The disk is full') },
  ])
  expect(health.isHealthy).toBe(false)
  health.look()
  expect(problems.list()).toEqual([])
  expect(recoveries()).toBe(1)
  health.look()
  expect(recoveries()).toBe(1)
})

test('stays unhealthy as long as nothing can be written', () => {
  const { home, health, problems, recoveries } = opened()
  mkdirSync(home.at('storage'), { recursive: true })
  renameSync(home.at('storage'), home.at('kept'))
  writeFileSync(home.at('storage'), 'in the way')
  health.suspect(failure('EROFS'))
  health.look()
  health.look()
  expect(recoveries()).toBe(0)
  expect(problems.list()).toHaveLength(1)
  rmSync(home.at('storage'))
  health.look()
  expect(recoveries()).toBe(1)
  expect(problems.list()).toEqual([])
})
