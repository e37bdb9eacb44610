import { statSync } from 'node:fs'
import { startProcess } from '@cadre/disk'
import { findProgram } from './find-program.ts'
import { setIdFilter } from './set-id-filter.ts'

/** The isolation of commands from the rest of the machine. */
export type Sandbox =
  | {
      readonly kind: 'bubblewrap'
      readonly program: string
      /** True if commands can be prevented from creating namespaces. */
      readonly closed: boolean
      /** The seccomp filter for commands, if the kernel supports it. */
      readonly filter?: Uint8Array | undefined
    }
  /** No isolation, and why. */
  | { readonly kind: 'none'; readonly reason: string }

/** The sandboxes that worked, by program and version of its file. Cadre checks one that failed again. */
const workingSandboxes = new Map<string, Sandbox>()

/** Searches for bubblewrap on PATH and runs it once: on some systems it is installed but not permitted. */
export async function findSandbox(env: NodeJS.ProcessEnv): Promise<Sandbox> {
  if (process.platform !== 'linux')
    return { kind: 'none', reason: `bubblewrap is not available for ${process.platform}` }
  const program = findProgram('bwrap', env)
  if (program === undefined) return { kind: 'none', reason: 'bubblewrap is not installed' }
  const { ino, ctimeMs } = statSync(program)
  const key = JSON.stringify([program, ino, ctimeMs])
  const sandbox = workingSandboxes.get(key) ?? (await trySandbox(program))
  if (sandbox.kind === 'bubblewrap') workingSandboxes.set(key, sandbox)
  return sandbox
}

async function trySandbox(program: string): Promise<Sandbox> {
  const filter = setIdFilter()
  const ways = [
    { closed: true, filter },
    { closed: true, filter: undefined },
    { closed: false, filter },
    { closed: false, filter: undefined },
  ]
  let failure = ''
  for (const way of ways) {
    const said = await tryBubblewrap(
      program,
      way.closed ? ['--unshare-user', '--disable-userns'] : [],
      way.filter,
    )
    if (said === undefined) return { kind: 'bubblewrap', program, ...way }
    failure = said
  }
  return { kind: 'none', reason: `bubblewrap is installed but does not work here: ${failure}` }
}

const basics = ['--ro-bind', '/', '/', '--tmpfs', '/tmp', '--proc', '/proc', '--dev', '/dev']
const spaces = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--cap-drop', 'ALL']

/** Resolves with undefined if it works, otherwise with its error. */
function tryBubblewrap(
  program: string,
  more: readonly string[],
  filter: Uint8Array | undefined,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const filtered = filter === undefined ? [] : ['--seccomp', '3']
    const args = [...more, ...basics, ...spaces, ...filtered, '--die-with-parent', '--', 'true']
    const child = startProcess(program, args, {
      timeout: 20_000,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      said += bytes.toString('utf8')
    })
    const input = child.stdio[3] as NodeJS.WritableStream
    // It may exit before it has read the filter.
    input.on('error', () => undefined)
    input.end(filter ?? '')
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : said.trim().split('\n')[0] || `code ${code}`),
    )
  })
}
