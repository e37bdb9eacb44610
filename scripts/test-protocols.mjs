// Tests with real programs of the open protocols: MCP servers and clients, ACP editors and agents, with fake model servers on
// this machine. Only the installation uses the network.
import { ensure } from './ensure.mjs'
import { protocolPrograms } from './lib/protocol-programs.mjs'
import { reportSandbox } from './lib/report-sandbox.mjs'
import { become, binOf, say } from './lib/run.mjs'

await ensure({ build: true })
await reportSandbox()
try {
  for (const [variable, folder] of Object.entries(await protocolPrograms())) process.env[variable] = folder
} catch (error) {
  say(error.message)
  process.exit(1)
}
await become(binOf('vitest'), ['run', '--config', 'vitest.protocols.config.ts', ...process.argv.slice(2)])
