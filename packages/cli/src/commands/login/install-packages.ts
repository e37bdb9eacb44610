/**
 * Installs Copilot packages for this user, with npm.
 *
 * 1. The final folder is always complete: it is created next to that path, checked, and then renamed.
 * 2. Concurrent installations are safe. The last one replaces the folder, unless it already contains everything.
 * 3. Nothing in the current folder is used: npm runs elsewhere, and runs no package scripts.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type CopilotPackage, findServer, hideTokens, serverPackage, versionIn } from '@cadre/backends'
import { hasCode, isRunning } from '@cadre/disk'
import { cleanEnvironment } from '@cadre/gate'

export type Installation =
  | { readonly kind: 'installed' }
  /** `message` is one or more full sentences. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'cancelled' }

export interface InstallRequest {
  /** Where the packages go, as npm's `--prefix`. */
  readonly folder: string
  readonly packages: readonly CopilotPackage[]
  readonly env: NodeJS.ProcessEnv
}

export async function installPackages(
  { folder, packages, env }: InstallRequest,
  signal: AbortSignal,
): Promise<Installation> {
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 })
  removeLeftovers(folder)
  const fresh = mkdtempSync(`${folder}.${process.pid}-`)
  try {
    writeFileSync(path.join(fresh, 'package.json'), '{"private":true}\n')
    const ended = await runNpm(argsOf(fresh, packages), fresh, env, signal)
    if (ended.kind !== 'done') return ended
    const missing = packages.filter((item) => !isInstalled(fresh, item))
    if (missing.length > 0)
      return failed(
        `npm installed ${missing.map(packageLabel).join(' and ')} without the files for this system (${process.platform}-${process.arch}).`,
      )
    moveIntoPlace(fresh, folder, packages)
    return { kind: 'installed' }
  } finally {
    rmSync(fresh, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The equivalent command for a person. */
export function installCommand(folder: string, packages: readonly CopilotPackage[]): string {
  const words = ['npm', ...argsOf(folder, packages)].filter((word) => !/^--no-/.test(word))
  return words.map((word) => (/^[\w@./:=-]+$/.test(word) ? word : `'${word}'`)).join(' ')
}

function argsOf(folder: string, packages: readonly CopilotPackage[]): string[] {
  const quiet = ['--no-audit', '--no-fund', '--no-save']
  return ['install', '--prefix', folder, '--ignore-scripts', ...quiet, ...packages.map(packageLabel)]
}

export function packageLabel({ name, version }: CopilotPackage): string {
  return `${name}@${version}`
}

/** True if exactly this version is in the folder, and complete. */
export function isInstalled(folder: string, { name, version }: CopilotPackage): boolean {
  const place = path.join(folder, 'node_modules', name)
  if (versionIn(place) !== version) return false
  return name !== serverPackage.name || findServer({ env: {}, configured: place }) !== undefined
}

function moveIntoPlace(fresh: string, folder: string, packages: readonly CopilotPackage[]): void {
  let candidate = fresh
  const olds: string[] = []
  for (let round = 0; ; round++) {
    const old = `${fresh}-${round}`
    olds.push(old)
    try {
      renameSync(folder, old)
      // Another process was faster, and may have installed more.
      if (packages.every((item) => isInstalled(old, item))) candidate = old
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error
    }
    try {
      renameSync(candidate, folder)
      for (const one of olds) rmSync(one, { recursive: true, force: true, maxRetries: 3 })
      return
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST') && !hasCode(error, 'EPERM')) throw error
      if (round === 100) throw error
    }
  }
}

/** Deletes folders of killed installations. */
function removeLeftovers(folder: string): void {
  const parent = path.dirname(folder)
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(`${path.basename(folder)}.`)
      ? /^(\d+)-/.exec(name.slice(path.basename(folder).length + 1))?.[1]
      : undefined
    if (owner !== undefined && Number(owner) !== process.pid && !isRunning(Number(owner)))
      rmSync(path.join(parent, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

type NpmEnd = { readonly kind: 'done' } | Exclude<Installation, { kind: 'installed' }>

function runNpm(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<NpmEnd> {
  return new Promise((resolve) => {
    const isWindows = process.platform === 'win32'
    // On Windows npm is a script, which only a shell can run.
    const words = isWindows ? args.map((word) => (/\s/.test(word) ? `"${word}"` : word)) : args
    const child = spawn('npm', words, {
      cwd,
      env: npmEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: isWindows,
      // Its own process group, so that npm's children end with it.
      detached: !isWindows,
    })
    let said = ''
    const listen = (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-8_000)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    const stop = () => {
      if (child.pid === undefined) return
      try {
        if (isWindows) child.kill()
        else process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has already exited.
      }
    }
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    const end = (ended: NpmEnd) => {
      signal.removeEventListener('abort', stop)
      resolve(signal.aborted ? { kind: 'cancelled' } : ended)
    }
    child.on('error', (error) => {
      if (hasCode(error, 'ENOENT') && existsSync(cwd))
        end(failed('npm is not installed, or not on PATH. Install Node.js together with npm.'))
      else end(failed(`cannot run npm: ${error.message}.`))
    })
    child.on('close', (code) => end(code === 0 ? { kind: 'done' } : failed(explain(said, code))))
  })
}

/**
 * npm gets what it needs to reach a registry, and no keys of other services. An npm script passes the settings of its
 * project as variables, so these are used only if a person has set them.
 */
function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isInScript = env['npm_command'] !== undefined || env['npm_lifecycle_event'] !== undefined
  const more = Object.keys(env).filter(
    (name) =>
      (!isInScript &&
        /^npm_config_(?!prefix$|global|location|save|omit|include|ignore_scripts|dry_run)/i.test(name)) ||
      /^(https?|no|all)_proxy$/i.test(name) ||
      ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NPM_TOKEN', 'NODE_AUTH_TOKEN'].includes(name),
  )
  return cleanEnvironment(env, more)
}

const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/

function explain(said: string, code: number | null): string {
  const lines = hideSecrets(said)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/complete log of this run|_logs.*debug/.test(line))
    .slice(-6)
  const what = unreachable.test(said)
    ? 'npm cannot reach its registry: check the network, and the proxy and registry in the npm configuration.'
    : `npm exited with code ${code ?? 'unknown'}.`
  return lines.length === 0 ? what : `${what} Its last lines: ${lines.join(' | ')}`
}

function hideSecrets(text: string): string {
  return hideTokens(text)
    .replaceAll(/\/\/[^\s/@]+@/g, '//[hidden]@')
    .replaceAll(/(_(?:auth|password)\w*\s*[=:]\s*)\S+/gi, '$1[hidden]')
    .replaceAll(/\bnpm_[A-Za-z0-9]{10,}/g, '[hidden]')
}

function failed(message: string): { readonly kind: 'failed'; readonly message: string } {
  return { kind: 'failed', message }
}
