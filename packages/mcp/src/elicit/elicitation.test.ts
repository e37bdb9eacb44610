import { expect, test } from 'vitest'
import { declineWithoutAsking, shownUrl } from './elicitation.ts'
import { formFields, readField } from './form-fields.ts'

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'vscode://x/y',
  'not an address',
  `https://a.example/${'x'.repeat(2_000)}`,
])('a person is not shown the address %.40s', (url) => {
  expect(shownUrl(url)).toBeUndefined()
})

test('an address is shown as a browser reads it', () => {
  expect(shownUrl('https://exаmple.com/a')).toBe('https://xn--exmple-4nf.com/a')
  expect(shownUrl('https://example.com@evil.example/\u202e')).toBe(
    'https://example.com@evil.example/%E2%80%AE',
  )
})

test('a declined question names the server, the question and the reason', () => {
  const asked = { server: 'calc', message: 'Which\n\u200bbranch?', asks: { schema: {} } }
  expect(declineWithoutAsking(asked, 'nobody is here')).toEqual({
    action: 'decline',
    notice: 'The MCP server calc asked: "Which branch?". Cadre declined, because nobody is here.',
  })
})

test('reads the fields of a form, and ignores everything else', () => {
  expect(formFields(undefined)).toEqual([])
  expect(formFields({ properties: 7 })).toEqual([])
  const properties = {
    a: { type: 'string', title: 'A\u200b', description: 'the\nfirst' },
    b: { type: 'weird' },
    c: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex'] },
    d: { type: 'array', items: { anyOf: [{ const: 'k', title: 'Kay' }, null] } },
    e: null,
  }
  expect(formFields({ properties, required: ['c'] })).toEqual([
    { name: 'a', title: 'A: the first', type: 'string', choices: [], isRequired: false },
    { name: 'b', title: 'b', type: 'string', choices: [], isRequired: false },
    {
      name: 'c',
      title: 'c',
      type: 'string',
      choices: [
        { value: 'x', label: 'Ex' },
        { value: 'y', label: 'y' },
      ],
      isRequired: true,
    },
    { name: 'd', title: 'd', type: 'array', choices: [{ value: 'k', label: 'Kay' }], isRequired: false },
    { name: 'e', title: 'e', type: 'string', choices: [], isRequired: false },
  ])
})

test.each([
  ['string', 'x', 'x'],
  ['integer', '4', 4],
  ['integer', '4.5', undefined],
  ['number', '4.5', 4.5],
  ['number', 'four', undefined],
  ['boolean', 'yes', true],
  ['boolean', 'N', false],
  ['boolean', 'maybe', undefined],
  ['array', 'a, b', ['a', 'b']],
] as const)('a %s field reads %s as %j', (type, typed, value) => {
  expect(readField({ name: 'f', title: 'f', type, choices: [], isRequired: true }, typed)).toEqual(value)
})
