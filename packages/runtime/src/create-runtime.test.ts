import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineTool, object, string, type Tool } from '@cadre/core'
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

test('uses a tool of the host wherever it and a built-in one understand a name', async () => {
  const ran: string[] = []
  const tools = ['psi', 'index'].map((origin) =>
    defineTool({
      name: `ide_${origin}_read`,
      description: 'Reads a file that may be open in an editor',
      class: 'read',
      effect: 'read',
      aliases: ['read_file'],
      input: object({ path: string('The file') }),
      async run({ path: file }) {
        ran.push(`${origin} ${file}`)
        return { content: `from the editor: ${file}` }
      },
    }),
  )
  const calls = ['read_file', 'Read', 'ide_psi_read', 'ide_index_read'].map((tool) => ({
    tool,
    input: { path: tool },
  }))
  const playbook = { lanes: { assistant: [{ calls }, { reply: 'done' }] } }
  writeFileSync(path.join(folder, 'host.yaml'), JSON.stringify(playbook))
  const env = { PATH: process.env['PATH'], HOME: folder }
  const hosted = await createRuntime({
    model: 'scripted:host.yaml',
    environment: { cwd: folder, env },
    tools: tools as Tool[],
  })
  try {
    await hosted.run('Read it')
    expect(ran).toEqual(['psi read_file', 'psi Read', 'psi ide_psi_read', 'index ide_index_read'])
    expect(hosted.notices.map(({ message }) => message)).toContain(
      'The editor tool ide_psi_read is used instead of the built-in tool read_file.',
    )
  } finally {
    await hosted.close()
  }
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
