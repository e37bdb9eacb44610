// Claude Code and Copilot CLI, for tests with the real programs.
import { cachedPackages } from './cached-packages.mjs'

const versions = { claude: '2.1.325', copilot: '1.0.102' }

/** Returns the folder with the packages, as npm's prefix. Installs missing ones. */
export function hostPackages() {
  return cachedPackages({
    name: `hosts-claude-${versions.claude}-copilot-${versions.copilot}`,
    packages: [`@anthropic-ai/claude-code@${versions.claude}`, `@github/copilot@${versions.copilot}`],
    size: '540 MB',
    command: 'npm run test:hosts',
  })
}
