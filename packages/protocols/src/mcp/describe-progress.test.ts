import type { Entry, StoredSession } from '@cadre/core'
import { expect, it } from 'vitest'
import { describeProgress } from './describe-progress.ts'

const timestamp = '2026-01-01T00:00:00.000Z'

/** A session whose last reply has these calls. A call with a child is a delegation. */
function sessionOf(id: string, calls: readonly { tool: string; started?: boolean; child?: string }[]) {
  const named = calls.map((call, at) => ({ ...call, id: `call_${at}` }))
  const wire = named.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.tool, arguments: '{}' },
  }))
  const starts = named.filter(({ started, child }) => started === true || child !== undefined)
  const entries = [
    { seq: 1, timestamp, role: 'user', content: 'x' },
    ...(calls.length > 0 ? [{ seq: 2, timestamp, role: 'assistant', content: null, tool_calls: wire }] : []),
    ...starts.map(({ id: call, child }, at) => ({
      seq: 3 + at,
      timestamp,
      role: 'event',
      type: 'call.started',
      call,
      key: `${id}/${call}`,
      ...(child !== undefined && { child }),
    })),
  ] as unknown as Entry[]
  const spec = { id, agent: { name: id } }
  return { spec, entries, status: 'active' } as unknown as StoredSession
}

it('names the call that runs, and not those that follow', async () => {
  const root = sessionOf('lead', [{ tool: 'read_file', started: true }, { tool: 'write_file' }])
  expect(await describeProgress(root, async () => undefined)).toBe('lead: read_file (round 1)')
})

it('names what is next if no call has started, and that the model works', async () => {
  const root = sessionOf('lead', [{ tool: 'write_file' }])
  expect(await describeProgress(root, async () => undefined)).toBe('lead: write_file (round 1)')
  expect(await describeProgress(sessionOf('lead', []), async () => undefined)).toBe(
    'lead: thinking (round 1)',
  )
})

it('reads only the sessions that it names, however many there are', async () => {
  const children = Array.from({ length: 100 }, (_, at) => ({ tool: 'delegate_task', child: `worker-${at}` }))
  const read: string[] = []
  const line = await describeProgress(sessionOf('lead', children), async (id) => {
    read.push(id)
    return sessionOf(id, [{ tool: 'execute_command', started: true }])
  })
  const workers = [0, 1, 2].map((at) => `worker-${at}: execute_command (round 1)`)
  expect(line).toBe(['lead: waiting for 100 agents', ...workers, 'and 97 more'].join('; '))
  expect(read).toHaveLength(3)
})
