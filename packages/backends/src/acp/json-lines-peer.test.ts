import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { patience } from './fake-agent.spec-helpers.ts'
import { JsonLinesPeer, PeerError } from './json-lines-peer.ts'

function open(requested: (method: string, params: unknown) => Promise<unknown> = async () => ({})) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const violations: string[] = []
  const notes: string[] = []
  const sent: unknown[] = []
  input.on('data', (data: Buffer) => {
    for (const line of data.toString().trim().split('\n')) sent.push(JSON.parse(line))
  })
  const peer = new JsonLinesPeer({
    input,
    output,
    requested,
    notified: (method) => void notes.push(method),
    violated: (reason) => void violations.push(reason),
  })
  const write = (...messages: readonly object[]) =>
    output.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  return { peer, output, violations, notes, sent, write }
}

describe('a peer', () => {
  it('pairs answers with requests, whatever their order', async () => {
    const { peer, write } = open()
    const [a, b] = [peer.request('a', {}), peer.request('b', {})]
    write({ id: 2, result: 'B' }, { id: 1, error: { code: 5, message: 'no', data: { details: 'why' } } })
    expect(await b).toEqual({ kind: 'answer', value: 'B' })
    expect(await a).toEqual({ kind: 'refused', code: 5, message: 'no: why' })
  })

  it('reads lines that arrive in pieces, and skips lines that are not JSON', async () => {
    const { output, notes } = open()
    for (const piece of ['Hel', 'lo\n{"met', 'hod":"one"}', '\n\n{"method":"two"}\n']) output.write(piece)
    await expect.poll(() => notes, patience).toEqual(['one', 'two'])
  })

  it('answers each request once, with a result or an error', async () => {
    const { write, sent } = open(async (method) => {
      if (method === 'bad') throw new PeerError(-1, 'Not this.')
      return { method }
    })
    write({ id: 'x', method: 'good' }, { id: 7, method: 'bad' })
    await expect
      .poll(() => sent, patience)
      .toEqual([
        { jsonrpc: '2.0', id: 'x', result: { method: 'good' } },
        { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'Not this.' } },
      ])
  })

  it('ends requests that are open when it closes, and later ones at once', async () => {
    const { peer } = open()
    const waiting = peer.request('a', {})
    peer.close()
    expect(await waiting).toEqual({ kind: 'gone' })
    expect(await peer.request('b', {})).toEqual({ kind: 'gone' })
  })

  it('cuts off a program that sends too many requests at once', async () => {
    const { write, violations } = open(() => new Promise(() => {}))
    for (let id = 0; id < 250; id++) write({ id, method: 'x' })
    await expect.poll(() => violations, patience).toEqual(['the program sent more than 200 requests at once'])
  })

  it('cuts off a program whose message does not end', async () => {
    const { output, violations } = open()
    for (let part = 0; part < 34; part++) output.write(Buffer.alloc(1 << 20, 120))
    await expect.poll(() => violations, patience).toEqual(['the program sent a message of more than 32 MiB'])
  })
})
