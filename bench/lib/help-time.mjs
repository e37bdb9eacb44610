import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './median.mjs'

const command = fileURLToPath(new URL('../../packages/cli/bin/cadre.js', import.meta.url))

/**
 * The time of `cadre --help` compared with a Node that does nothing: `{ nodeMs, helpMs }`, or `{ skipped }` with the
 * reason. The two alternate, because the difference is a few milliseconds.
 */
export function timeHelp({ samples }) {
  const trial = spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' })
  if (trial.status !== 0)
    return { skipped: `skipped: cadre --help, because it ended with code ${trial.status}` }
  const times = { node: [], help: [] }
  for (let i = 0; i < samples; i++) {
    times.node.push(time(['-e', '0']))
    times.help.push(time([command, '--help']))
  }
  return { nodeMs: median(times.node), helpMs: median(times.help), samples }
}

function time(args) {
  const start = performance.now()
  spawnSync(process.execPath, args, { stdio: 'ignore' })
  return performance.now() - start
}
