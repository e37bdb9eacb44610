import { expect, it } from 'vitest'
import { readTrace } from './trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

it.each([
  [`00-${trace}-${span}-01`, { traceId: trace, spanId: span, sampled: true }],
  [`00-${trace}-${span}-00`, { traceId: trace, spanId: span, sampled: false }],
  [`00-${trace}-${span}-03`, { traceId: trace, spanId: span, sampled: true }],
  [`cc-${trace}-${span}-01-what-comes-later`, { traceId: trace, spanId: span, sampled: true }],
  [trace, { traceId: trace, sampled: true }],
])('reads %s', (text, expected) => expect(readTrace(text)).toEqual(expected))

it.each([
  undefined,
  '',
  `00-${trace}-${span}-01-more`,
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  '0'.repeat(32),
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${trace}-${span}`,
  `cc-${trace}-${span}-01-${'x'.repeat(1000)}`,
  `00-${trace}-${span}-01\nX: y`,
])('rejects %s', (text) => expect(readTrace(text)).toBeUndefined())
