// The tests run the extension in these real versions of VS Code, controlled through a real browser. They are large and
// partly compiled here, so one copy outside the clone serves all clones of this user.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDebianPackages } from './debian-packages.mjs'
import { withLock } from './lock.mjs'
import { run, say } from './run.mjs'
import { closeProposedApi } from './vscode-gate.mjs'

const nodePackage = `node-${process.platform}-${process.arch}`
const plan = {
  // Increase it when the steps below change what they install.
  revision: 1,
  newest: { 'code-server': '4.139.1', [nodePackage]: '24.21.0' },
  oldest: { 'code-server': '4.105.1', [nodePackage]: '22.23.3' },
  tools: { 'playwright-core': '1.65.0', '@vscode/vsce': '3.9.2', 'axe-core': '4.14.0' },
}
const debian = ['chromium', 'fonts-dejavu-core', 'libkrb5-dev', 'pkg-config']

/**
 * Returns the folder with `newest` and `oldest`, each with a code-server and its Node, and `tools`. Installs missing parts.
 * Each of the three is renamed into place when it is complete.
 */
export async function vscodeFolder() {
  if (process.platform !== 'linux') throw new Error('The VS Code tests run on Linux only.')
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache')
  const base = path.join(caches, 'cadre-tests')
  const key = createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 8)
  const folder = path.join(
    base,
    `vscode-${plan.newest['code-server']}-${plan.oldest['code-server']}-${key}-${process.platform}-${process.arch}`,
  )
  mkdirSync(folder, { recursive: true })
  await withLock(path.join(base, 'vscode.lock'), async () => {
    removeUnfinished(folder)
    await installDebianPackages({ packages: debian, purpose: 'The VS Code tests' })
    await part(folder, 'tools', installTools)
    await part(folder, 'newest', installNewest)
    await part(folder, 'oldest', (fresh) => installOldest(fresh, path.join(folder, 'newest')))
  })
  return folder
}

/** The file of vsce's command in that folder. */
export function vsceOf(folder) {
  return path.join(folder, 'tools', 'node_modules', '@vscode', 'vsce', 'vsce')
}

async function part(folder, name, install) {
  const place = path.join(folder, name)
  if (existsSync(place)) return
  const fresh = mkdtempSync(path.join(folder, 'installing-'))
  try {
    await install(fresh)
    renameSync(fresh, place)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
}

// Leftovers of a killed process: only the owner of the lock installs.
function removeUnfinished(folder) {
  for (const name of readdirSync(folder).filter((name) => name.startsWith('installing-'))) {
    rmSync(path.join(folder, name), { recursive: true, force: true })
  }
}

async function installTools(fresh) {
  writeProject(fresh, plan.tools, {})
  await npm('Installing the tools for the VS Code tests', fresh, ['install', '--ignore-scripts'])
}

// Its own install script downloads and compiles what VS Code needs.
async function installNewest(fresh) {
  const version = plan.newest['code-server']
  say(`Installing code-server ${version} for the VS Code tests, once: several minutes and about 800 MB.`)
  await installNode(fresh, plan.newest)
  writeProject(fresh, plan.newest, { 'code-server': true, argon2: true })
  await npm(`Installing code-server ${version}`, fresh, ['install', '--foreground-scripts'], nodeOf(fresh))
  closeProposedApi(codeOf(fresh))
}

// Its own install script downloads from GitHub, which not every network allows. So its steps are done here, with the
// published @parcel/watcher of the same version and the ripgrep of the newest.
async function installOldest(fresh, newest) {
  const version = plan.oldest['code-server']
  const title = `Installing code-server ${version}`
  const code = codeOf(fresh)
  await installNode(fresh, plan.oldest)
  writeProject(fresh, plan.oldest, { argon2: true })
  await npm(title, fresh, ['install', '--ignore-scripts'], nodeOf(fresh))
  await npm(`${title}: compiling argon2`, fresh, ['rebuild', 'argon2'], nodeOf(fresh))
  usePublishedWatcher(code)
  await npm(`${title}: VS Code`, code, ['install', '--omit=dev', '--ignore-scripts'], nodeOf(fresh))
  const compiled = ['@vscode/spdlog', 'kerberos', 'native-watchdog', 'node-pty']
  await npm(`${title}: compiling native modules`, code, ['rebuild', ...compiled], nodeOf(fresh))
  symlinkSync('node_modules', path.join(code, 'node_modules.asar'))
  symlinkSync('code-linux.sh', path.join(code, 'bin', 'remote-cli', 'code-server'))
  symlinkSync('browser-linux.sh', path.join(code, 'bin', 'helpers', 'browser.sh'))
  const ripgreps = path.join(codeOf(newest), 'node_modules', '@vscode', 'ripgrep-universal', 'bin')
  const place = path.join(code, 'node_modules', '@vscode', 'ripgrep', 'bin')
  mkdirSync(place)
  copyFileSync(path.join(ripgreps, `${process.platform}-${process.arch}`, 'rg'), path.join(place, 'rg'))
  closeProposedApi(code)
}

function usePublishedWatcher(code) {
  const name = '@parcel/watcher'
  edit(path.join(code, 'npm-shrinkwrap.json'), (lock) => {
    const { version } = lock.packages[`node_modules/${name}`]
    delete lock.packages[`node_modules/${name}`]
    lock.packages[''].dependencies[name] = version
    edit(path.join(code, 'package.json'), (manifest) => {
      manifest.dependencies[name] = version
    })
  })
}

function edit(file, change) {
  const content = JSON.parse(readFileSync(file, 'utf8'))
  change(content)
  writeFileSync(file, JSON.stringify(content, null, 2))
}

// First and alone, because the install scripts of the others need it.
async function installNode(fresh, packages) {
  writeProject(fresh, { [nodePackage]: packages[nodePackage] }, {})
  await npm(`Installing Node ${packages[nodePackage]}`, fresh, ['install', '--ignore-scripts'])
}

function nodeOf(fresh) {
  return path.join(fresh, 'node_modules', nodePackage)
}

function codeOf(fresh) {
  return path.join(fresh, 'node_modules', 'code-server', 'lib', 'vscode')
}

function writeProject(folder, dependencies, allowScripts) {
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies, allowScripts }),
  )
}

/** Runs npm in a folder; with a separate Node, native modules are compiled for it with its headers. */
async function npm(title, cwd, args, node) {
  const env = { ...process.env, npm_config_ignore_scripts: 'false' }
  if (node) {
    env.PATH = `${path.join(node, 'bin')}${path.delimiter}${env.PATH}`
    env.npm_config_nodedir = node
    // `npm run` sets it to the version of its own Node, and the install script of code-server relies on it.
    delete env.npm_config_user_agent
  }
  const done = await run(title, 'npm', [...args, '--no-audit', '--no-fund'], { cwd, env })
  if (!done) throw new Error(`${title} failed; the reason is above. \`npm run test:vscode\` tries again.`)
}
