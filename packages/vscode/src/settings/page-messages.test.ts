import type { ToPage } from '@cadre/settings-page'
import { expect, it } from 'vitest'
import { createPageMessages } from './page-messages.ts'

it('queues requests of a person until the page is ready', () => {
  const outbox = createPageMessages()
  const got: ToPage[] = []
  outbox.send({ type: 'newAgent' })
  outbox.ready((message) => got.push(message))
  expect(got).toEqual([])
  outbox.deliver()
  outbox.deliver()
  expect(got).toEqual([{ type: 'newAgent' }])
})

it('never passes answers for a closed page to the next one', () => {
  const outbox = createPageMessages()
  const first: ToPage[] = []
  outbox.ready((message) => first.push(message))
  outbox.send({ type: 'checked', id: 1, problems: [] })
  outbox.close()
  outbox.send({ type: 'checked', id: 2, problems: [] })
  outbox.send({ type: 'refused', problems: [] })
  outbox.send({ type: 'conflict' })
  outbox.send({ type: 'message', isError: true, text: 'There are no agents in a.md.' })
  const second: ToPage[] = []
  outbox.ready((message) => second.push(message))
  outbox.deliver()
  expect(first.map(({ type }) => type)).toEqual(['checked'])
  expect(second.map(({ type }) => type)).toEqual(['message'])
})
