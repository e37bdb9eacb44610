import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryWorkspace } from '../files/workspace.spec-helpers.ts'
import { slackRead } from './slack-read.ts'

const signal = new AbortController().signal
const context = { session: 's', agent: 'a', call: 'c', key: 's/c', workspace: '/' }

function inbox(home: string, text: string | Buffer) {
  mkdirSync(path.join(home, 'inbox'))
  writeFileSync(path.join(home, 'inbox', 'slack-messages.jsonl'), text)
}
const read = async (home: string, limit?: number) =>
  (await slackRead(home).run({ limit }, context, signal)).content

test('lists the newest last, and skips invalid lines', async () => {
  using workspace = temporaryWorkspace()
  const lines = [1, 2, 3, 4].map((n) => JSON.stringify({ id: `${n}`, text: `m${n}` }))
  inbox(workspace.outer, `${[lines[0], 'broken {', '[]', ...lines.slice(1)].join('\n')}\n{"id": "half`)
  expect(await read(workspace.outer, 3)).toBe(lines.slice(1).join('\n'))
  expect((await read(workspace.outer)).split('\n')).toHaveLength(4)
})

test('a missing file means no messages', async () => {
  using workspace = temporaryWorkspace()
  expect(await read(workspace.outer)).toBe('There are no Slack messages yet.')
})

test('reads only the end of a large file, and cuts long messages', async () => {
  using workspace = temporaryWorkspace()
  const line = (n: number) => JSON.stringify({ id: `${n}`, text: 'x'.repeat(9_000) })
  inbox(workspace.outer, Array.from({ length: 400 }, (_, n) => `${line(n)}\n`).join(''))
  const messages = (await read(workspace.outer, 200))
    .split('\n')
    .map((text) => JSON.parse(text) as { id: string; text: string })
  expect(messages.at(-1)?.id).toBe('399')
  expect(messages.at(-1)?.text).toMatch(/^x{4000} \[the rest is omitted\]$/)
  expect(messages.length).toBeLessThan(20)
})

test('does not follow a link in its place', async () => {
  using workspace = temporaryWorkspace()
  mkdirSync(path.join(workspace.outer, 'inbox'))
  writeFileSync(path.join(workspace.outer, 'secret'), '{"id":"1","text":"secret"}\n')
  symlinkSync('../secret', path.join(workspace.outer, 'inbox', 'slack-messages.jsonl'))
  await expect(read(workspace.outer)).rejects.toThrow('not a regular file')
})
