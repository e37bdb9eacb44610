import { expect, it } from 'vitest'
import { plainMessages } from './plain-messages.ts'

const call = (id: string, name: string, written: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: written },
})
const image = { mime: 'image/png', data: 'AAAA' }

it('puts the system prompt first, pairs calls with results, and joins the results of one reply', () => {
  const messages = plainMessages(
    {
      system: 'You review.',
      messages: [
        { role: 'user', content: 'Look', images: [image] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('1', 'read_file', '{"path":"a"}'), call('2', 'odd name', '[not json')],
        },
        { role: 'tool_result', tool_call_id: '1', content: 'text of a' },
        { role: 'tool_result', tool_call_id: '2', content: '', images: [image] },
        { role: 'user', content: 'Go on' },
      ],
    },
    (name) => name.replace(' ', '_'),
  )
  expect(messages).toEqual([
    { role: 'user', parts: [{ kind: 'text', text: 'You review.' }] },
    {
      role: 'user',
      parts: [
        { kind: 'text', text: 'Look' },
        { kind: 'image', image },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { kind: 'call', id: '1', name: 'read_file', input: { path: 'a' } },
        { kind: 'call', id: '2', name: 'odd_name', input: { input: '[not json' } },
      ],
    },
    {
      role: 'user',
      parts: [
        { kind: 'result', id: '1', text: 'text of a', images: [] },
        { kind: 'result', id: '2', text: '(no output)', images: [image] },
      ],
    },
    { role: 'user', parts: [{ kind: 'text', text: 'Go on' }] },
  ])
})

it('omits messages without content', () => {
  const messages = plainMessages(
    {
      system: ' ',
      messages: [
        { role: 'assistant', content: '' },
        { role: 'user', content: 'x' },
      ],
    },
    (name) => name,
  )
  expect(messages).toEqual([{ role: 'user', parts: [{ kind: 'text', text: 'x' }] }])
})
