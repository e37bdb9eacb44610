import { type AttributeText, attributesOf, type Values } from './attributes.ts'
import { type InstrumentName, instruments } from './instruments.ts'
import { nanosOf } from './span.ts'

interface Series {
  readonly attributes: AttributeText
  sum: number
  count: number
  min: number
  max: number
  readonly buckets: number[]
}

/** Different attributes of one metric. Models choose names of tools, so that there could be any number. */
const mostSeries = 500
const overflow = attributesOf({ 'otel.metric.overflow': true })

export interface Meter {
  /** Adds to a counter, or records a value of a histogram. Ignores unknown values. */
  add(name: InstrumentName, value: number | undefined, attributes: Values): void
  /** One object for equal attributes, with which `add` is fast. */
  intern(attributes: Values): Values
  /** All metrics as JSON text for OTLP; `undefined` if there is nothing new. */
  collect(now: number): string | undefined
}

/** The series of one metric: by the object of an interned set, and by the text of any. */
class Instrument {
  readonly byObject = new Map<Values, Series>()
  readonly byText = new Map<string, Series>()
  readonly bounds: readonly number[]

  constructor(name: InstrumentName) {
    const instrument = instruments[name]
    this.bounds = instrument.kind === 'histogram' ? instrument.bounds : []
  }

  series(values: Values, isInterned: boolean): Series {
    const known = this.byObject.get(values)
    if (known !== undefined) return known
    const text = JSON.stringify(values)
    const isOver = this.byText.size >= mostSeries && !this.byText.has(text)
    const key = isOver ? '' : text
    let series = this.byText.get(key)
    if (series === undefined) {
      series = seriesOf(isOver ? overflow : attributesOf(values), this.bounds)
      this.byText.set(key, series)
    }
    if (isInterned) this.byObject.set(values, series)
    return series
  }
}

/** Counts in memory. `delta`: each collection starts again from zero. Otherwise values grow for as long as the process runs. */
export function createMeter({ now, delta }: { readonly now: number; readonly delta: boolean }): Meter {
  const all = new Map<InstrumentName, Instrument>()
  const interned = new Map<string, Values>()
  const isInterned = new WeakSet<Values>()
  let since = now
  let isNew = false
  return {
    intern(values) {
      const text = JSON.stringify(values)
      const known = interned.get(text)
      if (known !== undefined || interned.size >= mostSeries) return known ?? values
      interned.set(text, values)
      isInterned.add(values)
      return values
    },
    add(name, value, values) {
      if (value === undefined || !Number.isFinite(value) || value < 0) return
      let instrument = all.get(name)
      if (instrument === undefined) {
        instrument = new Instrument(name)
        all.set(name, instrument)
      }
      const series = instrument.series(values, isInterned.has(values))
      series.sum += value
      series.count++
      if (value < series.min) series.min = value
      if (value > series.max) series.max = value
      const { bounds } = instrument
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
      series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
      isNew = true
    },
    collect(at) {
      if (!isNew) return undefined
      isNew = false
      const times = `"startTimeUnixNano":"${nanosOf(since)}","timeUnixNano":"${nanosOf(at)}"`
      const metrics = [...all].map(([name, { byText }]) => metricOf(name, [...byText.values()], times, delta))
      if (delta) {
        since = at
        all.clear()
      }
      return metrics.join()
    },
  }
}

function seriesOf(attributes: AttributeText, bounds: readonly number[]): Series {
  const buckets = Array.from({ length: bounds.length + 1 }, () => 0)
  return { attributes, sum: 0, count: 0, min: Number.POSITIVE_INFINITY, max: 0, buckets }
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
