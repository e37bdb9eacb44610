import { ensure } from './ensure.mjs'
import { become, fromRoot } from './lib/run.mjs'

await ensure({ build: true })
await become(fromRoot('packages', 'cli', 'bin', 'cadre.js'), ['demo', ...process.argv.slice(2)])
