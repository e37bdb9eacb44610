import type { Message } from '@cadre/core'
import { expect, it } from 'vitest'
import { contentOf, historyOf, withMessages } from './transcript.ts'

const user = (content: string): Message & { role: 'user' } => ({ role: 'user', content })
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } } as const
const image = { mime: 'image/png', data: 'AAAA' }

it('begins with the instructions and ends with the question', () => {
  expect(historyOf('Be good.', [user('Hello')], false)).toEqual([
    { request: '<system_instructions>\nBe good.\n</system_instructions>\n\nHello' },
  ])
  expect(historyOf('', [user('Hello')], false)).toEqual([{ request: 'Hello' }])
})

it('converts earlier exchanges to turns, and calls and results to text', () => {
  const turns = historyOf(
    '',
    [
      user('One'),
      { role: 'assistant', content: 'Looking.', tool_calls: [call] },
      { role: 'tool_result', tool_call_id: 'c1', content: 'seen' },
      { role: 'assistant', content: null },
      user('Two'),
      user('Three'),
    ],
    false,
  )
  expect(turns).toHaveLength(3)
  expect(turns[0]!.request).toMatch(/^<system_instructions>\nYour earlier calls[\s\S]*One$/)
  expect(turns[0]!.response).toBe('Looking.\n\n<tool_call tool="look">{"at":1}</tool_call>')
  expect(turns[1]).toEqual({
    request: '<tool_result tool="look">\nseen\n</tool_result>',
    response: '(no text)',
  })
  expect(turns[2]).toEqual({ request: 'Two\n\nThree' })
})

it('continues from a result if that is the last message', () => {
  const turns = historyOf(
    '',
    [
      user('One'),
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool_result', tool_call_id: 'c1', content: 'seen' },
    ],
    false,
  )
  expect(turns.at(-1)).toEqual({ request: '<tool_result tool="look">\nseen\n</tool_result>' })
})

it('shows images to a model that supports them, and names them otherwise', () => {
  const messages = [{ ...user('Look'), images: [image] }]
  expect(contentOf(messages, new Map(), true)).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'image_url', imageUrl: { url: 'data:image/png;base64,AAAA' } },
  ])
  expect(contentOf(messages, new Map(), false)).toContain('1 image(s)')
})

it.each(['/fix it', '@github help', '  #file:x'])('keeps the server from reading %j as a command', (text) => {
  expect(contentOf([user(text)], new Map(), false)).toBe(`<user_message>\n${text}\n</user_message>`)
})

it('never sends an empty text', () => {
  expect(contentOf([], new Map(), false)).toBe('Continue.')
})

it('adds messages to a result', () => {
  expect(withMessages('seen', [user('hurry')])).toBe('seen\n\n<user_message>\nhurry\n</user_message>')
})
