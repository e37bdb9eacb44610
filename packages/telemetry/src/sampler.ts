import type { TraceContext } from '@cadre/core'

/** Whether spans of a trace are exported. The same trace gets the same answer in every process. */
export type Sampler = (trace: TraceContext) => boolean

/** Reads `OTEL_TRACES_SAMPLER`. Returns `undefined` if it names a sampler that does not exist. */
export function readSampler(name = 'parentbased_always_on', argument?: string): Sampler | undefined {
  const isParentBased = name.startsWith('parentbased_')
  const root = rootSampler(name.replace(/^parentbased_/, ''), argument)
  if (root === undefined) return undefined
  return (trace) => (isParentBased && trace.spanId !== undefined ? trace.sampled : root(trace))
}

function rootSampler(name: string, argument: string | undefined): Sampler | undefined {
  switch (name) {
    case 'always_on':
      return () => true
    case 'always_off':
      return () => false
    case 'traceidratio': {
      const given = Number(argument ?? 1)
      const ratio = given >= 0 && given <= 1 ? given : 1
      // The end of a trace id is random in every implementation. This number of digits fits into a JavaScript number.
      return ({ traceId }) => Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13
    }
    default:
      return undefined
  }
}
