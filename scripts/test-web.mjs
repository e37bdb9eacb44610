// Tests of the page in a real Chromium, against a real server on this machine. Only the installation uses the network.
import { ensure } from './ensure.mjs'
import { apiJudges } from './lib/api-judges.mjs'
import { browserPackages } from './lib/browser-packages.mjs'
import { reportSandbox } from './lib/report-sandbox.mjs'
import { become, binOf, say } from './lib/run.mjs'

await ensure({ build: true })
await reportSandbox()
try {
  process.env.CADRE_TEST_WEB = await browserPackages()
  process.env.CADRE_TEST_API_JUDGES = await apiJudges('npm run test:web')
  say(`The browser's packages for the tests: CADRE_TEST_WEB=${process.env.CADRE_TEST_WEB}`)
} catch (error) {
  say(error.message)
  process.exit(1)
}
await become(binOf('vitest'), ['run', '--config', 'vitest.web.config.ts', ...process.argv.slice(2)])
