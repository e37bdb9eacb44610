import { spawn } from 'node:child_process'
import { findInPath } from '@cadre/disk'

/** A program of the operating system that stores secrets for its user. */
export interface SecretStore {
  readonly name: string
  /** A command that prints the secret. */
  readonly keyCommand: string
  /** Stores the secret, and reads it back. Resolves with the reason if that fails, without any part of the secret. */
  store(secret: string): Promise<string | undefined>
  /** Undefined if there is none, or the store cannot be read. */
  read(): Promise<string | undefined>
  remove(): Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

/** The stores on this machine, best first. `account` names the secret, such as `openai@api.openai.com`. */
export function findSecretStores(env: Env, account: string, platform = process.platform): SecretStore[] {
  const name = account.replace(/[^\w.@:-]/g, '_')
  const has = (program: string) => findInPath(program, env['PATH'] ?? env['Path']) !== undefined
  // Programs read the secret from standard input: arguments are visible to every user of the machine.
  const made = (
    store: Pick<SecretStore, 'name' | 'keyCommand'>,
    words: readonly string[],
    removal: readonly string[],
    inputOf = (secret: string) => secret,
  ): SecretStore => ({
    ...store,
    store: (secret) => storeWith(words, inputOf(secret), { secret, keyCommand: store.keyCommand, env }),
    async read() {
      const { code, stdout } = await runKeyCommand(store.keyCommand, env)
      return code === 0 && stdout.trim() !== '' ? stdout.trim() : undefined
    },
    async remove() {
      const [program = '', ...args] = removal
      await run(program, args, '', env)
    },
  })
  if (platform === 'darwin')
    return has('security')
      ? [
          made(
            {
              name: 'the macOS keychain',
              keyCommand: `security find-generic-password -s cadre -a ${name} -w`,
            },
            ['security', '-i'],
            ['security', 'delete-generic-password', '-s', 'cadre', '-a', name],
            (secret) =>
              `add-generic-password -U -s cadre -a ${name} -X ${Buffer.from(secret).toString('hex')}\n`,
          ),
        ]
      : []
  if (platform === 'win32') {
    const vault =
      '[void][Windows.Security.Credentials.PasswordVault,Windows.Security.Credentials,ContentType=WindowsRuntime];$v=New-Object Windows.Security.Credentials.PasswordVault;'
    const read = `${vault}$c=$v.Retrieve('cadre','${name}');$c.RetrievePassword();$c.Password`
    const write = `${vault}$k=[Console]::In.ParsedLine();$v.Add((New-Object Windows.Security.Credentials.PasswordCredential('cadre','${name}',$k)))`
    const shell = ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command']
    return has('powershell.exe')
      ? [
          made(
            { name: 'the Windows Credential Manager', keyCommand: `${shell.join(' ')} "${read}"` },
            [...shell, write],
            [...shell, `${vault}$v.Remove($v.Retrieve('cadre','${name}'))`],
            (secret) => `${secret}\n`,
          ),
        ]
      : []
  }
  return [
    ...(has('secret-tool')
      ? [
          made(
            {
              name: 'the keyring (secret-tool)',
              keyCommand: `secret-tool lookup service cadre account ${name}`,
            },
            ['secret-tool', 'store', `--label=Cadre: ${name}`, 'service', 'cadre', 'account', name],
            ['secret-tool', 'clear', 'service', 'cadre', 'account', name],
          ),
        ]
      : []),
    ...(has('pass')
      ? [
          made(
            { name: 'the password store (pass)', keyCommand: `pass show cadre/${name}` },
            ['pass', 'insert', '--multiline', '--force', `cadre/${name}`],
            ['pass', 'rm', '--force', `cadre/${name}`],
            (secret) => `${secret}\n`,
          ),
        ]
      : []),
  ]
}

interface Check {
  readonly secret: string
  readonly keyCommand: string
  readonly env: Env
}

async function storeWith(
  words: readonly string[],
  input: string,
  { secret, keyCommand, env }: Check,
): Promise<string | undefined> {
  const [program = '', ...args] = words
  const stored = await run(program, args, input, env)
  if (stored.code !== 0)
    return `${program} failed (${typeof stored.code === 'number' ? `exit code ${stored.code}` : stored.code})`
  const read = await runKeyCommand(keyCommand, env)
  return read.code === 0 && read.stdout.trim() === secret
    ? undefined
    : `${program} did not return the stored key`
}

function runKeyCommand(keyCommand: string, env: Env): ReturnType<typeof run> {
  return process.platform === 'win32'
    ? run('cmd', ['/d', '/s', '/c', keyCommand], '', env)
    : run('/bin/sh', ['-c', keyCommand], '', env)
}

/** In milliseconds: a store may ask the user to unlock it. */
const limit = 120_000

function run(
  program: string,
  args: readonly string[],
  input: string,
  env: Env,
): Promise<{ readonly code: number | string; readonly stdout: string }> {
  return new Promise((resolve) => {
    // Its output is not shown, because it may be the secret.
    const child = spawn(program, [...args], {
      env: env as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: limit,
      windowsHide: true,
    })
    let stdout = ''
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stdin.on('error', () => {})
    child.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ code: error.code ?? 'an error', stdout: '' }),
    )
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'an error', stdout }))
    child.stdin.end(input)
  })
}
