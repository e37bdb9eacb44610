import { createFakeClock } from '@cadre/testing'
import { expect, it, onTestFinished } from 'vitest'
import { note } from './fake-agent.spec-helpers.ts'
import { offerTools, type ToolAnswer } from './offer-tools.ts'

const clock = createFakeClock()

async function offer() {
  let settle: (answer: ToolAnswer) => void = () => {}
  let arrived = () => {}
  const called = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const offering = await offerTools({
    tools: [{ name: 'note', offer: note }],
    clock,
    called: () => {
      arrived()
      return new Promise((resolve) => {
        settle = resolve
      })
    },
  })
  onTestFinished(() => offering.close())
  const post = (params: object, headers: Record<string, string> = {}) =>
    fetch(offering.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${offering.token}`,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
  return { offering, post, called, settle: (answer: ToolAnswer) => settle(answer) }
}

it('answers only a caller with the token, from this machine', async () => {
  const { post } = await offer()
  expect((await post({ name: 'note' }, { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await post({ name: 'note' }, { authorization: '' })).status).toBe(401)
  expect((await post({ name: 'note' }, { origin: 'https://evil.test' })).status).toBe(403)
  expect(await (await post({ name: 'other' })).text()).toContain('There is no tool named')
})

it('reports progress while a call waits, so that the program does not give it up', async () => {
  const { post, called, settle } = await offer()
  const answer = post({ name: 'note', arguments: {}, _meta: { progressToken: 'p' } })
  await called
  clock.advance(45_000)
  settle({ content: 'Noted.', images: [{ mime: 'image/png', data: 'AAAA' }] })
  const text = await (await answer).text()
  expect(text.match(/notifications\/progress/g)).toHaveLength(2)
  expect(text).toContain('"text":"Noted."')
  expect(text).toContain('"mimeType":"image/png"')
})
