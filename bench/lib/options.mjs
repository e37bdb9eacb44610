import { parseArgs } from 'node:util'
import { onRequest, suites } from './suites.mjs'

export const usage = `npm run bench [-- OPTIONS]

  --only LIST    some of: ${Object.keys(suites).join(',')}        (all but ${onRequest.join()})
  --n LIST       numbers of workers in \`overhead\`            (1,10,100,1000)
  --reps N       runs of each configuration                  (5)
  --quick        two runs each, at most 100 workers
  --no-peers     only the bare loop and Cadre
  --tmp DIR      where runs put their files                  (the system's temporary folder)
  --json FILE    write the results there as well
`

/** The runner's options, or `{ problem }` with the error. */
export function readOptions(args) {
  let values
  try {
    values = parseArgs({ args, options }).values
  } catch (error) {
    return { problem: error.message }
  }
  const only = list(values.only) ?? Object.keys(suites).filter((name) => !onRequest.includes(name))
  const unknown = only.filter((name) => !suites[name])
  if (unknown.length > 0) return { problem: `There is no suite named ${unknown.join(', ')}.` }
  const ns = list(values.n)?.map(Number) ?? (values.quick ? [1, 10, 100] : [1, 10, 100, 1000])
  const reps = Number(values.reps ?? (values.quick ? 2 : 5))
  if (![...ns, reps].every((value) => Number.isInteger(value) && value > 0)) {
    return { problem: '--n and --reps take whole numbers above zero.' }
  }
  return {
    help: values.help ?? false,
    only,
    ns,
    reps,
    helpSamples: values.quick ? 10 : 40,
    peers: !values['no-peers'],
    tmp: values.tmp,
    json: values.json,
  }
}

const options = {
  only: { type: 'string' },
  n: { type: 'string' },
  reps: { type: 'string' },
  quick: { type: 'boolean' },
  'no-peers': { type: 'boolean' },
  tmp: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
}

const list = (value) => value?.split(',').map((item) => item.trim())
