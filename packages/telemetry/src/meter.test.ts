import { expect, it } from 'vitest'
import { createMeter } from './meter.ts'

const collected = (text: string | undefined) => JSON.parse(`[${text}]`)

it('sorts values into buckets, and grows until the process ends', () => {
  const meter = createMeter({ now: 1000, delta: false })
  expect(meter.collect(2000)).toBeUndefined()
  for (const value of [0.005, 0.01, 3, 500, -1, Number.NaN])
    meter.add('gen_ai.execute_tool.duration', value, { a: 'b' })
  const [metric] = collected(meter.collect(2000))
  expect(metric.histogram.aggregationTemporality).toBe(2)
  expect(metric.histogram.dataPoints).toEqual([
    {
      attributes: [{ key: 'a', value: { stringValue: 'b' } }],
      startTimeUnixNano: '1000000000',
      timeUnixNano: '2000000000',
      count: '4',
      sum: 503.015,
      min: 0.005,
      max: 500,
      bucketCounts: ['2', '0', '0', '0', '0', '0', '0', '0', '0', '1', '0', '0', '0', '0', '1'],
      explicitBounds: expect.arrayContaining([0.01, 81.92]),
    },
  ])
  meter.add('gen_ai.execute_tool.duration', 1, { a: 'b' })
  expect(collected(meter.collect(3000))[0].histogram.dataPoints[0]).toMatchObject({
    count: '5',
    startTimeUnixNano: '1000000000',
  })
})

it('starts from zero after each collection, if differences are wanted', () => {
  const meter = createMeter({ now: 1000, delta: true })
  meter.add('cadre.denials', 2, {})
  expect(collected(meter.collect(2000))[0].sum.dataPoints).toMatchObject([
    { asInt: '2', startTimeUnixNano: '1000000000' },
  ])
  meter.add('cadre.denials', 1, {})
  expect(collected(meter.collect(3000))[0].sum).toMatchObject({
    aggregationTemporality: 1,
    dataPoints: [{ asInt: '1', startTimeUnixNano: '2000000000' }],
  })
})

it('counts bound attributes together with the same attributes, before and after a collection', () => {
  const meter = createMeter({ now: 0, delta: true })
  const deny = meter.bind('cadre.denials', { a: 'b' })
  expect(meter.collect(1)).toBeUndefined()
  deny(1)
  deny(undefined)
  meter.add('cadre.denials', 2, { a: 'b' })
  expect(collected(meter.collect(1))[0].sum.dataPoints).toMatchObject([{ asInt: '3' }])
  expect(meter.collect(2)).toBeUndefined()
  deny(4)
  expect(collected(meter.collect(3))[0].sum.dataPoints).toMatchObject([
    { asInt: '4', attributes: [{ key: 'a', value: { stringValue: 'b' } }] },
  ])
})

it('counts together what has too many different attributes', () => {
  const meter = createMeter({ now: 0, delta: false })
  for (let n = 0; n < 600; n++) meter.add('cadre.denials', 1, { 'gen_ai.tool.name': `t${n}` })
  const { dataPoints } = collected(meter.collect(1))[0].sum
  expect(dataPoints).toHaveLength(501)
  expect(dataPoints.at(-1)).toMatchObject({ asInt: '100', attributes: [{ key: 'otel.metric.overflow' }] })
})
