// Tests with the real Claude Code and Copilot CLI, and a fake model server on this machine. Only the installation uses the
// network.
import { ensure } from './ensure.mjs'
import { cachedPackages } from './lib/cached-packages.mjs'
import { become, binOf, say } from './lib/run.mjs'

const versions = { claude: '2.1.325', copilot: '1.0.102' }

await ensure({ build: true })
try {
  process.env.CADRE_TEST_HOSTS = await cachedPackages({
    name: `hosts-claude-${versions.claude}-copilot-${versions.copilot}`,
    packages: [`@anthropic-ai/claude-code@${versions.claude}`, `@github/copilot@${versions.copilot}`],
    size: '540 MB',
    command: 'npm run test:hosts',
  })
} catch (error) {
  say(error.message)
  process.exit(1)
}
await become(binOf('vitest'), ['run', '--config', 'vitest.hosts.config.ts', ...process.argv.slice(2)])
