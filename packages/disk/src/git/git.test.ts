import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
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
