// Tests of the extension in real versions of VS Code. Only the installation uses the network.
import { existsSync } from 'node:fs'
import { ensure } from './ensure.mjs'
import { become, binOf, fromRoot, run, say } from './lib/run.mjs'
import { vsceOf, vscodeFolder } from './lib/vscode-packages.mjs'

await ensure({ build: true })
try {
  const folder = await vscodeFolder()
  process.env.CADRE_TEST_VSCODE = folder
  process.env.CADRE_VSCE = vsceOf(folder)
  say(`VS Code for the tests: CADRE_TEST_VSCODE=${folder}`)
} catch (error) {
  say(error.message)
  process.exit(1)
}
const packaging = fromRoot('scripts', 'package-extension.mjs')
if (existsSync(packaging) && !(await run('Packaging the extension', process.execPath, [packaging]))) {
  say('The extension could not be packaged; the reasons are above.')
  process.exit(1)
}
await become(binOf('vitest'), ['run', '--config', 'vitest.vscode.config.ts', ...process.argv.slice(2)])
