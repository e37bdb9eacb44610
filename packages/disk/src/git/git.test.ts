import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { git } from './git.ts'

it('runs for many children of one parent at once, without a warning', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 12 }, () => git(['--version'], { cwd: tmpdir(), signal })))
  // Warnings are emitted in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual([])
})

// Without a variant, git first asks the program for its options, without pipes to Cadre.
it.each(['ssh', undefined])(
  'ends a program that reaches a remote and ignores signals (%s)',
  async (variant) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-git-'))
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true })
    })
    const started = path.join(folder, 'started')
    vi.stubEnv('GIT_SSH_COMMAND', `trap '' TERM; echo $$ >${started}; exec sleep 600; :`)
    vi.stubEnv('GIT_SSH_VARIANT', variant)
    const stop = new AbortController()
    const request = { cwd: folder, usesRemotes: true, signal: stop.signal }
    const listing = git(['ls-remote', 'ssh://127.0.0.1/nothing'], request)
    const pidOf = () => (existsSync(started) ? Number(readFileSync(started, 'utf8')) : 0)
    await expect.poll(pidOf).toBeGreaterThan(0)
    stop.abort()
    await expect(listing).rejects.toThrow('git ls-remote was cancelled')
    await expect.poll(() => isRunning(pidOf())).toBe(false)
  },
)

it('never runs a program that an address names', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-git-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const ran = path.join(folder, 'ran')
  const listing = git(['ls-remote', `ext::touch ${ran}`], { cwd: folder, usesRemotes: true })
  await expect(listing).rejects.toThrow("transport 'ext' not allowed")
  expect(existsSync(ran)).toBe(false)
})

function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return /^[^Z\s]/.test(stdout.trim())
}
