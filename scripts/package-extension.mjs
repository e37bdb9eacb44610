// Builds the VS Code extension and packs it: packages/vscode/dist/copilot-multi-agent.vsix. `--folder` only builds it.
import { spawnSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { ensure } from './ensure.mjs'
import { bundleExtension, extensionFolder } from './lib/bundle-extension.mjs'
import { fromRoot, say } from './lib/run.mjs'

const maxBytes = 2 * 1024 ** 2

await ensure({ build: true })
await bundleExtension()
if (!process.argv.includes('--folder')) pack()

function pack() {
  const file = fromRoot('packages', 'vscode', 'dist', 'copilot-multi-agent.vsix')
  rmSync(file, { force: true })
  // Nothing is installed for people who never pack it: `npm run test:vscode` passes its own copy. On Windows npx is a
  // script, which only a shell can start. A shell splits at spaces, so its words contain no path.
  const own = process.env.CADRE_VSCE
  const [command, ...args] = own ? [process.execPath, own] : ['npx', '--yes', '@vscode/vsce@3.9.2']
  const { status } = spawnSync(
    command,
    [
      ...args,
      'package',
      '--no-dependencies',
      '--allow-missing-repository',
      '--skip-license',
      '--no-rewrite-relative-links',
      '--out',
      path.relative(extensionFolder, file),
    ],
    { cwd: extensionFolder, stdio: ['ignore', 2, 2], shell: !own && process.platform === 'win32' },
  )
  if (status !== 0) {
    say('The extension could not be packed; the reason is above.')
    process.exit(1)
  }
  const { size } = statSync(file)
  say(`${file} (${Math.round(size / 1024)} KB)`)
  if (size < maxBytes) return
  say(
    'The extension is larger than 2 MB. Find out what was added, and leave it out or load it from elsewhere.',
  )
  process.exit(1)
}
