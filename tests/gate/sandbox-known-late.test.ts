import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createGate, type JudgedCall, type SessionSpec, type Tool } from '@cadre/core'
import { createGuard, type Sandbox } from '@cadre/gate'
import { loadPolicy, openHome } from '@cadre/home'
import { agentsOf, defineAgent } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { expect, it, onTestFinished } from 'vitest'

const bubblewrap: Sandbox = { kind: 'bubblewrap', program: '/usr/bin/bwrap', closed: true }

async function guardWith(sandbox: Promise<Sandbox>) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-late-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const agent = defineAgent({ name: 'lead' })
  const guard = createGuard({
    home: openHome({ home: path.join(folder, '.cadre'), cwd: folder, env: {} }),
    userHome: path.join(folder, 'user'),
    folder: { folder, trusted: true },
    trusted: () => true,
    policy: await loadPolicy({ organisation: path.join(folder, 'none') }),
    sandbox,
    hooks: { hooks: [], files: [], diagnostics: [] },
    agents: agentsOf([agent]),
    environment: {},
    tell: () => {},
  })
  const gate = createGate(guard)
  const tools = createTools({ places: guard.places, commands: { sandbox: guard.sandbox } })
  const session = { id: 's', root: 's', agent, chain: ['lead'], workspace: folder } as unknown as SessionSpec
  const judge = (tool: Tool, input: unknown) => {
    const call: JudgedCall = { call: { id: 'c', function: { name: tool.name } } as never, tool, input }
    return gate.judge(call, session, new AbortController().signal)
  }
  return { gate, judge, tool: (name: string) => tools.find((tool) => tool.name === name) as Tool }
}

it('is waited for only by the calls that depend on it', async () => {
  let resolve: (sandbox: Sandbox) => void = () => {}
  const promise = new Promise<Sandbox>((done) => {
    resolve = done
  })
  const { gate, judge, tool } = await guardWith(promise)
  expect(gate.immediate).toBe(true)
  // Until it is known, there is no sandbox.
  expect(judge(tool('get_errors'), {})).toMatchObject({ kind: 'ask' })
  expect(tool('read_file').input['~standard'].validate({ path: 'a' })).not.toBeInstanceOf(Promise)
  let isChecked = false
  const inputs: readonly [Tool, object][] = [
    [tool('get_errors'), {}],
    [tool('execute_command'), { command: 'ls' }],
  ]
  const checked = Promise.all(
    inputs.map(async ([one, input]) => {
      const result = await one.input['~standard'].validate(input)
      isChecked = true
      return result
    }),
  )
  await new Promise((done) => setImmediate(done))
  expect(isChecked).toBe(false)
  resolve(bubblewrap)
  expect(await checked).toEqual([{ value: {} }, { value: { command: 'ls' } }])
  // After the check, the rules know the sandbox.
  expect(judge(tool('get_errors'), {})).toMatchObject({ kind: 'allow' })
})

it('is none if the search fails', async () => {
  const { judge, tool } = await guardWith(Promise.reject(new Error('no processes left')))
  const check = await tool('get_errors').input['~standard'].validate({})
  expect(check).toEqual({ value: {} })
  expect(judge(tool('get_errors'), {})).toMatchObject({ kind: 'ask' })
})
