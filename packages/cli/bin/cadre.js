#!/usr/bin/env node
// Committed, not built: npm does not link a bin whose file is missing at install time.
import { bundled, isBundleFresh } from './bundle-state.js'
import { loadBundle } from './load-bundle.js'

if (isBundleFresh()) loadBundle(new URL('.', bundled))
else {
  process.stderr.write('The cadre bundle is missing or out of date. Run `npm run build`.\n')
  process.exitCode = 2
}
