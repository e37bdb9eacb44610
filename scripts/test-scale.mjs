// Tests of the engine on Restate, with a real server on this machine that listens on loopback only. Only the installation uses
// the network. `--full` runs the kill suite in full size, which takes about 20 minutes on a quiet machine.
import { ensure } from './ensure.mjs'
import { restateServer } from './lib/restate-server.mjs'
import { become, binOf, say } from './lib/run.mjs'

await ensure({ build: true })
const args = process.argv.slice(2)
if (args.includes('--full')) process.env.CADRE_SCALE_FULL = '1'
try {
  process.env.CADRE_TEST_RESTATE = await restateServer()
} catch (error) {
  say(error.message)
  process.exit(1)
}
const rest = args.filter((arg) => arg !== '--full')
await become(binOf('vitest'), ['run', '--config', 'vitest.scale.config.ts', ...rest])
