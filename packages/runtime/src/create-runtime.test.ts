import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRuntime, type Runtime } from './create-runtime.ts'

let folder: string
let runtime: Runtime
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-runtime-')))
  writeFileSync(path.join(folder, 'p.yaml'), 'lanes: { assistant: [{ reply: hello }] }\n')
  const env = { PATH: process.env['PATH'], HOME: folder }
  runtime = await createRuntime({ model: 'scripted:p.yaml', environment: { cwd: folder, env } })
})
afterEach(async () => {
  await runtime.close()
  rmSync(folder, { recursive: true, force: true })
})

test('runs an agent in its folder and returns the report', async () => {
  const result = await runtime.run('Say hello')
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'hello' } })
  const [session] = await runtime.list()
  expect((await runtime.read(session!.id)).spec.workspace).toBe(folder)
})

test.each(['/not/there', 'not/there', 'p.yaml'])(
  'refuses a workspace that is not a folder: %s',
  async (workspace) => {
    await expect(runtime.run({ work: 'x', workspace })).rejects.toMatchObject({
      code: 'usage',
      where: path.resolve(folder, workspace),
    })
    expect(await runtime.list()).toEqual([])
  },
)
