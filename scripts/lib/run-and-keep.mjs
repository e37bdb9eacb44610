// Runs the bundled command like `cadre run "…"`. At its end, writes the code that V8 has compiled next to each file.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeFile, loadBundle } from '../../packages/cli/bin/load-bundle.js'

const bundle = process.argv[2]
process.argv.splice(2, 1, 'run', '--model', 'openai:fake', '--trust', '--json', 'Say ok')
const scripts = loadBundle(pathToFileURL(`${bundle}${path.sep}`))
process.on('exit', (code) => {
  if (code !== 0) return
  for (const [file, script] of scripts) writeFileSync(codeFile(file), script.createCachedData())
})
