import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { connectHost, type Host } from './host.ts'
import { codeServerOf, type VsCodeVersion } from './installed.ts'
import { packageFolder } from './package-folder.ts'
import { type ScriptedModel, scriptedModel } from './script.ts'
import { until } from './until.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** The extension, as packaged by `npm run test:vscode`. */
export const ourExtension = path.join(root, 'packages', 'vscode', 'dist', 'copilot-multi-agent.vsix')
const scriptedModelExtension = path.join(import.meta.dirname, '..', 'scripted-model')
// The oldest code-server has no Copilot Chat, and chat is disabled without a default agent.
const testExtensions = {
  newest: [scriptedModelExtension],
  oldest: [scriptedModelExtension, path.join(import.meta.dirname, '..', 'default-agent')],
}

export interface VsCodeOptions {
  readonly version?: VsCodeVersion
  /** .vsix files or folders of extensions, installed next to the scripted model. Default: the extension. */
  readonly extensions?: readonly string[]
  /** The folder to open, or the files of a new one by path. */
  readonly workspace?: string | Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, unknown>>
  /** False: the workspace is not trusted, and VS Code does not ask. Default: true. */
  readonly trusted?: boolean
  /** Lets Copilot's own agent mode use the scripted model without an account; see `enableCopilot` of the workbench. */
  readonly copilot?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

export interface VsCode {
  readonly version: VsCodeVersion
  readonly url: string
  /** All files of this server; deleted when it stops. */
  readonly folder: string
  readonly home: string
  readonly workspace: string
  readonly model: ScriptedModel
  readonly host: Host
  /** The output of the server and its extension hosts. */
  output(): string
  stop(): Promise<void>
}

const defaultSettings = {
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  // Otherwise everything before the last text of an answer is collapsed.
  'chat.agent.collapseCompletedResponses': false,
}

/** Starts a real VS Code, isolated from this user: its home, settings and extensions are in a new folder. */
export async function startVsCode(options: VsCodeOptions = {}): Promise<VsCode> {
  const { version = 'newest', trusted = true } = options
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cadre-vscode-'))
  const at = (...parts: string[]) => path.join(folder, ...parts)
  const [home, data, log, socket] = [at('home'), at('data'), at('server.log'), at('bridge.sock')]
  const workspace = makeWorkspace(options.workspace ?? {}, at('workspace'))
  mkdirSync(home)
  mkdirSync(at('tmp'))
  mkdirSync(path.join(data, 'User'), { recursive: true })
  writeFileSync(at('config.yaml'), '')
  const settings = {
    ...defaultSettings,
    'security.workspace.trust.enabled': !trusted,
    'security.workspace.trust.startupPrompt': 'never',
    ...options.settings,
  }
  writeFileSync(path.join(data, 'User', 'settings.json'), JSON.stringify(settings, null, 2))
  if (options.copilot) {
    writeFileSync(
      path.join(data, 'User', 'chatLanguageModels.json'),
      '[{ "name": "Scripted", "vendor": "scripted" }]',
    )
  }
  const model = scriptedModel({ script: at('script.json'), log: at('model.jsonl') })
  const env = {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: home,
    TMPDIR: at('tmp'),
    // No extension registry, so that there are no network requests.
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    CADRE_TEST_SCRIPT: at('script.json'),
    CADRE_TEST_LOG: at('model.jsonl'),
    CADRE_TEST_BRIDGE: socket,
    ...options.environment,
  }
  const { node, entry } = codeServerOf(version)
  const places = [
    '--config',
    at('config.yaml'),
    '--user-data-dir',
    data,
    '--extensions-dir',
    at('extensions'),
  ]
  const wanted = [...testExtensions[version], ...(options.extensions ?? [ourExtension])]
  const extensions = await Promise.all(wanted.map(vsixOf))
  const installs = extensions.flatMap((file) => ['--install-extension', file])
  await promisify(execFile)(node, [entry, ...places, ...installs], { env, cwd: workspace })

  const switches = [
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
    ...(trusted ? ['--disable-workspace-trust'] : []),
  ]
  const output = openSync(log, 'a')
  const server = spawn(
    node,
    [entry, ...places, '--auth', 'none', '--bind-addr', '127.0.0.1:0', ...switches],
    { env, cwd: workspace, detached: true, stdio: ['ignore', output, output] },
  )
  closeSync(output)
  const readOutput = () => readFileSync(log, 'utf8')
  const guard = startGuard(server, folder)
  const stop = async () => {
    await end(server)
    guard.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const url = await until('code-server to listen', () => {
      if (server.exitCode !== null) throw new Error(`code-server ended:\n${readOutput()}`)
      return /server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(readOutput())?.[1]
    })
    await until('code-server to be healthy', async () => (await fetch(`${url}/healthz`)).ok)
    return {
      version,
      url,
      folder,
      home,
      workspace,
      model,
      host: connectHost(socket),
      output: readOutput,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function vsixOf(extension: string): Promise<string> {
  return extension.endsWith('.vsix') ? extension : await packageFolder(extension)
}

function makeWorkspace(wanted: string | Readonly<Record<string, string>>, folder: string): string {
  if (typeof wanted === 'string') return wanted
  mkdirSync(folder)
  for (const [name, text] of Object.entries(wanted)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

// A killed test process stops nothing. When it is gone, its end of the pipe is closed, and the guard cleans up.
function startGuard(server: ChildProcess, folder: string): ChildProcess {
  const script = 'read -r _; kill -s KILL -- "-$1"; rm -rf "$2"'
  const guard = spawn('sh', ['-c', script, 'guard', String(server.pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return guard
}

// The whole group: code-server starts VS Code, which starts the extension hosts, which start other processes.
async function end(server: ChildProcess): Promise<void> {
  signal(server, 'SIGTERM')
  const killTimer = setTimeout(() => signal(server, 'SIGKILL'), 10_000)
  await until('the processes of code-server to end', () => !signal(server, 0))
  clearTimeout(killTimer)
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, name)
  } catch {
    return false
  }
}
