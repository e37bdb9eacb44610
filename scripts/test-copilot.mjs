// Tests with the real Copilot packages and a fake GitHub on this machine. Only the installation uses the network.
import { ensure } from './ensure.mjs'
import { copilotFolder } from './lib/copilot-packages.mjs'
import { become, binOf, say } from './lib/run.mjs'

await ensure({ build: true })
try {
  process.env.CADRE_TEST_COPILOT = await copilotFolder()
} catch (error) {
  say(error.message)
  process.exit(1)
}
await become(binOf('vitest'), ['run', '--config', 'vitest.copilot.config.ts', ...process.argv.slice(2)])
