// Tests with the real Claude Code and Copilot CLI, and a fake model server on this machine. Only the installation uses the
// network.
import { ensure } from './ensure.mjs'
import { hostPackages } from './lib/host-packages.mjs'
import { become, binOf, say } from './lib/run.mjs'

await ensure({ build: true })
try {
  process.env.CADRE_TEST_HOSTS = await hostPackages()
} catch (error) {
  say(error.message)
  process.exit(1)
}
await become(binOf('vitest'), ['run', '--config', 'vitest.hosts.config.ts', ...process.argv.slice(2)])
