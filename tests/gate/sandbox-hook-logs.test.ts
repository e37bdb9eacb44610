import { existsSync, writeFileSync } from 'node:fs'
import { type CommandEnd, createHooks, findHooks } from '@cadre/gate'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createWorld, type World, without } from './sandbox-support.ts'
import { never, sessionAt, toolNamed } from './support/sessions.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

const log = '.github/hooks/logs/calls.jsonl'

/** Does something while a command without a sandbox is running. */
async function during(work: () => Promise<unknown> | unknown): Promise<CommandEnd> {
  const going = world.run('echo > started; while ! test -e go; do :; done', { sandbox: without })
  while (!existsSync(world.at('started'))) await new Promise((resolve) => setTimeout(resolve, 10))
  await work()
  writeFileSync(world.at('go'), '')
  return going
}

/** A hook that keeps a log next to itself, like those of the supervisor team. */
async function runHook(command = `mkdir -p .github/hooks/logs; echo line >> ${log}`) {
  world.write(
    '.claude/settings.json',
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }),
  )
  const set = findHooks({ project: world.project, userHome: world.user, trusted: () => true })
  const { rule } = createHooks({
    hooks: () => set,
    project: world.project,
    userHome: world.user,
    environment: (extra) => ({ PATH: process.env['PATH'], ...extra }),
    tell: () => {},
  })
  return {
    run: async () => {
      const call = { id: 'c', type: 'function', function: { name: 'read_file', arguments: '{}' } } as const
      const judged = { call, tool: toolNamed('read_file'), input: { path: 'x' } }
      expect(await rule.judge(judged, sessionAt(world.project), never)).toBeUndefined()
    },
  }
}

it('a hook’s log during a watched command stays, and so does its folder', async () => {
  const hook = await runHook()
  const first = await during(() => hook.run())
  expect(first.changes).toEqual([])
  expect(world.read(log)).toBe('line\n')
})

it('a log only grows: its content is restored, and lines of hooks stay', async () => {
  world.write(log, 'before\n')
  const hook = await runHook()
  const end = await during(async () => {
    writeFileSync(world.at(log), 'forged\n')
    await hook.run()
  })
  expect(end.changes).toMatchObject([{ path: world.at(log), undone: true }])
  expect(world.read(log)).toBe('before\nline\n')
})

it('other changes are undone although hooks run, and without a hook so is a log', async () => {
  world.write(log, 'before\n')
  const hook = await runHook()
  await during(async () => {
    await hook.run()
    writeFileSync(world.at('.github/hooks/evil.json'), '{}')
    writeFileSync(world.at('.github/hooks/logs/evil.mjs'), '')
  })
  expect(existsSync(world.at('.github/hooks/evil.json'))).toBe(false)
  expect(existsSync(world.at('.github/hooks/logs/evil.mjs'))).toBe(false)
  const kept = world.read(log)
  const end = await world.run(`echo forged >> ${log}`, { sandbox: without })
  expect(end.changes).toMatchObject([{ what: 'changed', undone: true }])
  expect(world.read(log)).toBe(kept)
})
