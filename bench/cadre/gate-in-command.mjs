// The gate in a process like the one of `cadre run`: this import sets the command's flags of V8, before anything else is loaded.
import '../../packages/cli/bin/load-bundle.js'

await import('./gate.mjs')
