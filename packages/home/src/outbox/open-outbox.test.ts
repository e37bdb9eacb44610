import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Home } from '../home/home.ts'
import { openHome } from '../home/open-home.ts'
import { openOutbox } from './open-outbox.ts'

let folder: string
let home: Home
const request = { channel: 'slack', key: 's/1', inbox: 'slack-messages', message: { text: 'hello' } }
const linesOf = (...names: string[]) =>
  readFileSync(home.at(...names), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-outbox-'))
  home = openHome({ home: folder, cwd: folder, env: {} })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('openOutbox', () => {
  it('sends once per key, and returns the same receipt afterwards', async () => {
    let delivered = 0
    const deliver = async () => ({ ts: String(++delivered) })
    const outbox = openOutbox(home)
    const both = await Promise.all([outbox.send(request, deliver), outbox.send(request, deliver)])
    expect(both.map(({ receipt }) => receipt)).toEqual([{ ts: '1' }, { ts: '1' }])
    const later = await openOutbox(home).send(request, deliver)
    expect(later).toMatchObject({ state: 'sent', receipt: { ts: '1' }, message: { text: 'hello' } })
    expect(delivered).toBe(1)
    expect(linesOf('outbox', 'slack.jsonl').map(({ state }) => state)).toEqual(['sending', 'sent', 'told'])
    expect(linesOf('inbox', 'slack-messages.jsonl')).toEqual([
      expect.objectContaining({ direction: 'out', text: 'hello', receipt: { ts: '1' }, via: 'slack' }),
    ])
  })

  it('records a message before it sends it', async () => {
    const outbox = openOutbox(home)
    await outbox.send(request, async (key) => {
      expect(openOutbox(home).find('slack', key)).toMatchObject({
        state: 'sending',
        message: { text: 'hello' },
      })
      return {}
    })
  })

  it('does not resend a message in doubt until it is resolved', async () => {
    const hangs = openOutbox(home).send(request, () => new Promise(() => {}))
    void hangs
    await expect.poll(() => openOutbox(home).find('slack', 's/1')?.state).toBe('sending')
    const outbox = openOutbox(home)
    const never = async () => Promise.reject(new Error('must not be called'))
    await expect(outbox.send(request, never)).rejects.toMatchObject({ code: 'in_doubt' })
    await outbox.settle('slack', 's/1', { ts: '5' })
    expect(await outbox.send(request, never)).toMatchObject({ state: 'sent', receipt: { ts: '5' } })
    expect(linesOf('inbox', 'slack-messages.jsonl')).toHaveLength(1)
  })

  it('resends a message that is known not to have been sent', async () => {
    void openOutbox(home).send(request, () => new Promise(() => {}))
    await expect.poll(() => openOutbox(home).find('slack', 's/1')?.state).toBe('sending')
    const outbox = openOutbox(home)
    await outbox.release('slack', 's/1', 'it is not in the channel')
    expect(outbox.find('slack', 's/1')).toMatchObject({ state: 'failed', error: 'it is not in the channel' })
    expect(await outbox.send(request, async () => ({ ts: '2' }))).toMatchObject({ state: 'sent' })
  })

  it('distinguishes a failure from a message in doubt', async () => {
    const outbox = openOutbox(home)
    await expect(
      outbox.send(request, async () => Promise.reject(new Error('no such channel'))),
    ).rejects.toThrow('no such channel')
    expect(outbox.find('slack', 's/1')).toMatchObject({ state: 'failed', error: 'no such channel' })
    const doubt = new CadreError('in_doubt', 'no answer came')
    await expect(outbox.send(request, async () => Promise.reject(doubt))).rejects.toBe(doubt)
    expect(outbox.find('slack', 's/1')).toMatchObject({ state: 'sending' })
  })

  it('adds the inbox line that is missing after a crash, and only then', async () => {
    await openOutbox(home).send(request, async () => ({ ts: '1' }))
    const outboxFile = home.at('outbox', 'slack.jsonl')
    const [sending, sent] = readFileSync(outboxFile, 'utf8').split('\n')
    writeFileSync(outboxFile, `${sending}\n${sent}\n`)
    rmSync(home.at('inbox', 'slack-messages.jsonl'))
    await openOutbox(home).repair()
    expect(linesOf('inbox', 'slack-messages.jsonl')).toHaveLength(1)
    // After a cleanup, the line is not added again.
    writeFileSync(home.at('inbox', 'slack-messages.jsonl'), '')
    const outbox = openOutbox(home)
    await outbox.repair()
    await outbox.send(request, async () => ({}))
    expect(linesOf('inbox', 'slack-messages.jsonl')).toHaveLength(0)
  })

  it('ignores text of other programs in its file', async () => {
    await openOutbox(home).send(request, async () => ({ ts: '1' }))
    appendFileSync(home.at('outbox', 'slack.jsonl'), 'what is this\n{"key":5}\n{"key":"s/2","state":"sen')
    const outbox = openOutbox(home)
    expect(outbox.find('slack', 's/1')?.receipt).toEqual({ ts: '1' })
    expect(outbox.find('slack', 's/2')).toBeUndefined()
    expect(await outbox.send({ ...request, key: 's/2' }, async () => ({ ts: '2' }))).toMatchObject({
      state: 'sent',
    })
    await expect(outbox.settle('slack', 'unknown', {})).rejects.toMatchObject({ code: 'not_found' })
  })
})
