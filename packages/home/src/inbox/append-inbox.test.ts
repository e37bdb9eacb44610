import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Home } from '../home/home.ts'
import { openHome } from '../home/open-home.ts'
import { appendInbox } from './append-inbox.ts'

let folder: string
let home: Home
const linesOf = (name: string) => readFileSync(home.at('inbox', `${name}.jsonl`), 'utf8').split('\n')

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-inbox-'))
  home = openHome({ home: folder, cwd: folder, env: {} })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('appendInbox', () => {
  it('adds a line once, even if it is requested repeatedly', async () => {
    const answers = await Promise.all([
      appendInbox(home, 'mail', { id: 'a', text: 'one\ntwo' }),
      appendInbox(home, 'mail', { id: 'b' }),
      appendInbox(home, 'mail', { id: 'a', text: 'again' }),
    ])
    expect(answers).toEqual(['new', 'new', 'known'])
    expect(await appendInbox(home, 'mail.jsonl', { id: 'b' })).toBe('known')
    expect(linesOf('mail')).toEqual(['{"id":"a","text":"one\\ntwo"}', '{"id":"b"}', ''])
  })

  it('recognises lines that a person added or removed', async () => {
    mkdirSync(home.at('inbox'))
    writeFileSync(home.at('inbox', 'mail.jsonl'), 'not json\n{"id":"a"}\r\n[1]\n{"id":7}\n')
    expect(await appendInbox(home, 'mail', { id: 'a' })).toBe('known')
    expect(await appendInbox(home, 'mail', { id: 'b' })).toBe('new')
    appendFileSync(home.at('inbox', 'mail.jsonl'), '{"id":"c"}\n')
    expect(await appendInbox(home, 'mail', { id: 'c' })).toBe('known')
    writeFileSync(
      home.at('inbox', 'mail.jsonl'),
      '{"id":"z","text":"another file that is longer than the first one was"}\n',
    )
    expect(await appendInbox(home, 'mail', { id: 'a' })).toBe('new')
    expect(await appendInbox(home, 'mail', { id: 'z' })).toBe('known')
  })

  it('never appends to an incomplete line', async () => {
    mkdirSync(home.at('inbox'))
    writeFileSync(home.at('inbox', 'mail.jsonl'), '{"id":"a"}\n{"id":"b","te')
    expect(await appendInbox(home, 'mail', { id: 'b', text: 'x' })).toBe('new')
    expect(linesOf('mail')).toEqual(['{"id":"a"}', '{"id":"b","te', '{"id":"b","text":"x"}', ''])
  })

  it('accepts a line that lacks only its line break', async () => {
    mkdirSync(home.at('inbox'))
    writeFileSync(home.at('inbox', 'mail.jsonl'), '{"id":"a"}')
    expect(await appendInbox(home, 'mail', { id: 'a' })).toBe('known')
    expect(linesOf('mail')).toEqual(['{"id":"a"}', ''])
  })

  it.each(['../x', 'a/b', '.hidden', '', 'x\0y', 'a b', `${'x'.repeat(200)}`])(
    'refuses the name %j',
    async (name) => {
      await expect(appendInbox(home, name, { id: 'a' })).rejects.toMatchObject({ code: 'usage' })
      expect(existsSync(home.at('inbox'))).toBe(false)
    },
  )

  it('does not write through a link', async () => {
    mkdirSync(home.at('inbox'))
    writeFileSync(path.join(folder, 'config.yaml'), 'entry: a\n')
    symlinkSync(path.join(folder, 'config.yaml'), home.at('inbox', 'mail.jsonl'))
    await expect(appendInbox(home, 'mail', { id: 'a' })).rejects.toMatchObject({ code: 'configuration' })
    expect(readFileSync(path.join(folder, 'config.yaml'), 'utf8')).toBe('entry: a\n')
  })
})
