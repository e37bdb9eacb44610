import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { JsonObject } from '@cadre/core'
import { expect, it } from 'vitest'
import { hostileNames, startTestServer } from './routes.spec-helpers.ts'

function lines(from: number, count: number, more: (n: number) => object = () => ({})): string {
  return Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ n: from + index, ...more(from + index) })}\n`,
  ).join('')
}

it('returns the audit log in pages, newest first, with filters', async () => {
  const { client, ask } = await startTestServer({
    prepare(home) {
      mkdirSync(home.at('events'), { recursive: true })
      const more = (n: number) => ({
        type: n % 2 ? 'call.denied' : 'call.allowed',
        session: `s-${n % 3}`,
        text: 'ä'.repeat(n % 700),
      })
      writeFileSync(home.at('events', '2020-01-01.jsonl'), lines(0, 400, more))
      writeFileSync(home.at('events', '2020-01-02.jsonl'), `${lines(400, 300, more)}not json\n\n{"torn":`)
      writeFileSync(home.at('events', 'notes.txt'), 'nothing')
      symlinkSync('/etc/hostname', home.at('events', '2020-01-03.jsonl'))
    },
  })
  const numbers: number[] = []
  let after: string | undefined
  do {
    const page = await client.listAudit({ query: { limit: 150, ...(after && { after }) } })
    numbers.push(...page.items.flatMap(({ n }) => (typeof n === 'number' ? [n] : [])))
    after = page.next
  } while (after !== undefined)
  expect(numbers).toEqual(Array.from({ length: 700 }, (_, index) => 699 - index))
  const { items } = await client.listAudit({ query: { type: 'call.denied', session: 's-1', limit: 2 } })
  expect(items.map(({ n }: JsonObject) => n)).toEqual([697, 691])
  for (const cursor of ['x', Buffer.from('["../../config.yaml",9]').toString('base64url')]) {
    const { status } = await ask(`/api/audit?after=${cursor}`)
    expect([cursor, status]).toEqual([cursor, 400])
  }
})

it('lists messages, adds one to an inbox once, and does not accept other files', async () => {
  const { client, home, ask, daemon } = await startTestServer({
    prepare(where) {
      for (const folder of ['outbox', 'mailboxes']) mkdirSync(where.at(folder), { recursive: true })
      writeFileSync(
        where.at('outbox', 'slack.jsonl'),
        lines(0, 2, () => ({ state: 'sent' })) + lines(2, 1, () => ({ state: 'told' })),
      )
      writeFileSync(
        where.at('mailboxes', 'worker.jsonl'),
        lines(0, 1, () => ({ text: 'hello' })),
      )
      writeFileSync(where.at('mailboxes', 'worker.receipts.jsonl'), lines(5, 1))
    },
  })
  expect((await client.listOutbox()).items).toEqual([
    { n: 1, state: 'sent', file: 'slack' },
    { n: 0, state: 'sent', file: 'slack' },
  ])
  expect((await client.listMailboxes()).items).toEqual([{ n: 0, text: 'hello', file: 'worker' }])
  const add = {
    params: { file: 'notes' },
    body: { line: { text: 'hi', by: 'somebody', id: 'mine' } },
    idempotencyKey: 'k1',
  }
  expect(await client.addToInbox(add)).toEqual({ added: true })
  expect(await client.addToInbox(add)).toEqual({ added: false })
  const { items } = await client.listInbox()
  expect(items).toEqual([expect.objectContaining({ text: 'hi', by: 'ann', via: 'http', file: 'notes' })])
  expect(String(items[0]?.['id'])).toMatch(/^http\//)
  expect(readFileSync(home.at('inbox', 'notes.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1)
  expect(daemon.happenings.map(({ type }) => type)).toContain('inbox.added')
  for (const name of hostileNames) {
    const { status } = await ask(`/api/inbox/${name}`, { method: 'POST', body: { line: {} } })
    expect([name, [400, 404, 405].includes(status)]).toEqual([name, true])
  }
})
