// Unit tests run from source; the build is for the end-to-end tests, which start the built command.
import { ensure } from './ensure.mjs'
import { become, binOf } from './lib/run.mjs'

await ensure({ build: true })
await become(binOf('vitest'), ['run', ...process.argv.slice(2)])
