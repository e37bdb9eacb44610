import { type AttributeText, type AttributeValues, attributesOf } from './attributes.ts'
import { type InstrumentName, instruments } from './instruments.ts'
import { nanosOf } from './span.ts'

interface Series {
  readonly attributes: AttributeText
  sum: number
  count: number
  min: number
  max: number
  readonly bounds: readonly number[]
  readonly buckets: number[]
}

/** Different attributes of one metric. Models choose names of tools, so that there could be any number. */
const maxSeries = 500
const overflow = attributesOf({ 'otel.metric.overflow': true })

export interface Meter {
  /** Adds to a counter, or records a value of a histogram. Ignores unknown values. */
  add(name: InstrumentName, value: number | undefined, attributes: AttributeValues): void
  /** The same for attributes that are used often: they are written and looked up only once. */
  bind(name: InstrumentName, attributes: AttributeValues): (value: number | undefined) => void
  /** All metrics as JSON text for OTLP; `undefined` if there is nothing new. */
  collect(now: number): string | undefined
}

/** Counts in memory. `delta`: each collection starts again from zero. Otherwise values grow for as long as the process runs. */
export function createMeter({ now, delta }: { readonly now: number; readonly delta: boolean }): Meter {
  /** By the text of the attributes. */
  const all = new Map<InstrumentName, Map<string, Series>>()
  let since = now
  let isNew = false
  /** How many times the series were forgotten. */
  let generation = 0
  const find = (name: InstrumentName, values: AttributeValues): Series => {
    let known = all.get(name)
    if (known === undefined) {
      known = new Map()
      all.set(name, known)
    }
    const text = JSON.stringify(values)
    const isOver = known.size >= maxSeries && !known.has(text)
    const key = isOver ? '' : text
    let series = known.get(key)
    if (series === undefined) {
      series = seriesOf(isOver ? overflow : attributesOf(values), boundsOf(name))
      known.set(key, series)
    }
    return series
  }
  const bind = (name: InstrumentName, values: AttributeValues) => {
    let series: Series | undefined
    let found = generation
    return (value: number | undefined) => {
      if (!isCountable(value)) return
      if (series === undefined || found !== generation) {
        series = find(name, values)
        found = generation
      }
      record(series, value)
      isNew = true
    }
  }
  return {
    bind,
    add: (name, value, values) => bind(name, values)(value),
    collect(at) {
      if (!isNew) return undefined
      isNew = false
      const times = `"startTimeUnixNano":"${nanosOf(since)}","timeUnixNano":"${nanosOf(at)}"`
      const metrics = [...all].map(([name, known]) => metricOf(name, [...known.values()], times, delta))
      if (delta) {
        since = at
        generation++
        all.clear()
      }
      return metrics.join()
    },
  }
}

function isCountable(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value < Number.POSITIVE_INFINITY
}

function record(series: Series, value: number): void {
  series.sum += value
  series.count++
  if (value < series.min) series.min = value
  if (value > series.max) series.max = value
  const { bounds, buckets } = series
  let bucket = 0
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
  buckets[bucket] = (buckets[bucket] ?? 0) + 1
}

function boundsOf(name: InstrumentName): readonly number[] {
  const instrument = instruments[name]
  return instrument.kind === 'histogram' ? instrument.bounds : []
}

function seriesOf(attributes: AttributeText, bounds: readonly number[]): Series {
  const buckets = Array.from({ length: bounds.length + 1 }, () => 0)
  return { attributes, sum: 0, count: 0, min: Number.POSITIVE_INFINITY, max: 0, bounds, buckets }
}

const temporalities = { delta: 1, cumulative: 2 } as const

function metricOf(name: InstrumentName, all: readonly Series[], times: string, delta: boolean): string {
  const instrument = instruments[name]
  const { unit, description } = instrument
  const head = JSON.stringify({ name, unit, description }).slice(0, -1)
  const temporality = `"aggregationTemporality":${delta ? temporalities.delta : temporalities.cumulative}`
  const points = all.map((series) => {
    const { attributes, sum, count, min, max, buckets } = series
    const common = `"attributes":[${attributes}],${times}`
    if (instrument.kind === 'counter')
      return `{${common},${instrument.whole ? `"asInt":"${Math.round(sum)}"` : `"asDouble":${sum}`}}`
    const counts = `"bucketCounts":${JSON.stringify(buckets.map(String))},"explicitBounds":${JSON.stringify(instrument.bounds)}`
    return `{${common},"count":"${count}","sum":${sum},"min":${min},"max":${max},${counts}}`
  })
  const data = `${temporality},"dataPoints":[${points.join()}]`
  return `${head},${instrument.kind === 'counter' ? `"sum":{"isMonotonic":true,${data}}` : `"histogram":{${data}}`}}`
}
