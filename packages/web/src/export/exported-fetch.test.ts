import { type Approval, createClient, type ExportedRun, type SessionRow, type StreamPart } from '@cadre/api'
import type { Entry } from '@cadre/core'
import { expect, test } from 'vitest'
import { createExportedFetch } from './exported-fetch.ts'
import { readExported } from './read-exported.ts'

const row = (id: string, parent?: string) =>
  ({ id, agent: 'lead', root: 'a', work: `Work of ${id}`, ...(parent && { parent }) }) as SessionRow
const entries = Array.from({ length: 250 }, (_, index) => ({ seq: index + 1 })) as unknown as Entry[]

const run = {
  format: 1,
  version: '0.0.0',
  exportedAt: '',
  root: 'a',
  shown: 'a',
  sessions: [row('a'), row('b', 'a'), row('c', 'b'), row('d', 'a')].map((one) => ({
    detail: { row: one },
    entries,
    calls: [],
  })),
  approvals: [
    { id: 'x', status: 'pending' },
    { id: 'y', status: 'approved' },
  ] as Approval[],
} as unknown as ExportedRun

const client = createClient({ address: '', fetch: createExportedFetch(run) })
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

test('answers with the rows, trees and approvals of the run', async () => {
  expect(await client.me()).toMatchObject({ readOnly: true, roles: ['viewer'] })
  expect(ids((await client.listSessions({ query: { roots: true } })).items)).toEqual(['a'])
  expect(ids((await client.listSessions({ query: { text: 'OF C' } })).items)).toEqual(['c'])
  expect(ids((await client.getTree({ params: { id: 'b' } })).rows)).toEqual(['b', 'c'])
  expect(ids((await client.getTree({ params: { id: 'a' } })).rows)).toEqual(['a', 'b', 'c', 'd'])
  expect(ids((await client.listApprovals({ query: {} })).items)).toEqual(['x'])
  expect(ids((await client.listApprovals({ query: { status: 'all' } })).items)).toEqual(['x', 'y'])
  expect((await client.getApprovalDiff({ params: { id: 'x' } })).patch).toBe('')
})

test('pages of entries fit together', async () => {
  const newest = await client.listEntries({ params: { id: 'a' }, query: { limit: 100 } })
  expect([newest.entries[0]?.seq, newest.entries.at(-1)?.seq, newest.before]).toEqual([151, 250, 151])
  const earlier = await client.listEntries({ params: { id: 'a' }, query: { limit: 200, before: 151 } })
  expect([earlier.entries.length, earlier.before]).toEqual([150, undefined])
  const later = await client.listEntries({ params: { id: 'a' }, query: { limit: 10, after: 245 } })
  expect(later.entries).toHaveLength(5)
})

test('rejects every change, and names the data that is not in the file', async () => {
  await expect(client.cancelSession({ params: { id: 'a' }, body: {} })).rejects.toThrow('read-only')
  await expect(client.getSession({ params: { id: 'zz' } })).rejects.toThrow('"zz"')
  await expect(client.getJournal({ params: { id: 'a' } })).rejects.toThrow('cadre sessions show a')
  await expect(client.listAgents()).rejects.toThrow('only one run')
})

test('the stream is open and quiet until it is stopped', async () => {
  const stop = new AbortController()
  const parts: StreamPart['kind'][] = []
  for await (const { kind } of client.events({ signal: stop.signal })) {
    parts.push(kind)
    stop.abort()
  }
  expect(parts).toEqual(['open'])
})

test.each([
  [undefined, 'does not contain a run'],
  ['', 'does not contain a run'],
  ['{"format":1,', 'damaged'],
  ['{"format":2,"sessions":[]}', 'unknown format'],
  ['null', 'unknown format'],
])('explains why %j cannot be shown', (text, why) => {
  expect(readExported(text)).toContain(why)
})
