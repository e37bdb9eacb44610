#!/usr/bin/env node
// Committed, not built: npm links no bin whose file does not exist at install time.
import { existsSync } from 'node:fs'
import module from 'node:module'

const main = new URL('../dist/main.js', import.meta.url)
if (existsSync(main)) {
  // Node 22 and later keep compiled code between starts; Node 20 has no such function.
  module.enableCompileCache?.()
  await import(main.href)
} else {
  process.stderr.write('cadre is not built yet. Run `npm run build` first.\n')
  process.exitCode = 2
}
