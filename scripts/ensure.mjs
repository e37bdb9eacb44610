// Prepares a clone: tools present, dependencies installed, packages built. Runs before node_modules exists, so it may
// import only Node modules. If nothing has changed, it starts no process but `git --version`.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { buildNeeded, fingerprint, rememberBuild, removeStaleOutput } from './lib/build-state.mjs'
import { installNeeded } from './lib/install-state.mjs'
import { withLock } from './lib/lock.mjs'
import { binOf, fromRoot, run, say } from './lib/run.mjs'

export async function ensure({ build }) {
  requireTools()
  if (!installNeeded() && !(build && buildNeeded())) return
  await withLock(fromRoot('.ensure.lock'), async () => {
    // Checked again inside the lock: another process may have done the work meanwhile.
    if (installNeeded()) await install()
    if (build && buildNeeded()) await compile()
  })
}

function requireTools() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    stop(`Cadre needs Node 20.19 or newer; this is Node ${process.versions.node}.`)
  }
  if (spawnSync('git', ['--version'], { stdio: 'ignore' }).status !== 0) {
    stop('Cadre needs git, and `git --version` does not run here: install git and try again.')
  }
}

async function install() {
  const npm = process.env.npm_execpath
  // Always with development dependencies: they include the compiler, and NODE_ENV=production would omit it.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const done =
    npm && existsSync(npm) && /\.c?js$/.test(npm)
      ? await run('Installing dependencies', process.execPath, [npm, ...args])
      : await run('Installing dependencies', 'npm', args, { shell: process.platform === 'win32' })
  if (!done) stop('The dependencies could not be installed; the reason is above. `npm ci` tries again.')
}

async function compile() {
  const sources = fingerprint()
  if (!(await run('Building', process.execPath, [binOf('typescript', 'tsc'), '-b']))) {
    stop('The build failed; the reasons are above. `npm run build` tries again.')
  }
  removeStaleOutput()
  if (!(await run('Bundling the command', process.execPath, [fromRoot('scripts', 'bundle.mjs')]))) {
    stop('The command could not be bundled; the reasons are above. `npm run build` tries again.')
  }
  rememberBuild(sources)
}

function stop(sentence) {
  say(sentence)
  process.exit(1)
}
