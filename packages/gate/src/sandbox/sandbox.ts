import { execFile } from 'node:child_process'
import { findProgram } from './find-program.ts'

/** What keeps a command from the rest of the machine. */
export type Sandbox =
  | {
      readonly kind: 'bubblewrap'
      readonly program: string
      /** Whether commands can be kept from making namespaces of their own. */
      readonly closed: boolean
    }
  /** Nothing does, and why. */
  | { readonly kind: 'none'; readonly reason: string }

/** Looks for bubblewrap on the path and tries it once: on some systems it is there and not permitted. */
export async function findSandbox(env: NodeJS.ProcessEnv): Promise<Sandbox> {
  if (process.platform !== 'linux')
    return { kind: 'none', reason: `bubblewrap does not exist for ${process.platform}` }
  const program = findProgram('bwrap', env)
  if (program === undefined) return { kind: 'none', reason: 'bubblewrap is not installed' }
  const closed = await tried(program, ['--unshare-user', '--disable-userns'])
  if (closed === undefined) return { kind: 'bubblewrap', program, closed: true }
  const open = await tried(program, [])
  if (open === undefined) return { kind: 'bubblewrap', program, closed: false }
  return { kind: 'none', reason: `bubblewrap is installed but does not work here: ${open}` }
}

const basics = ['--ro-bind', '/', '/', '--tmpfs', '/tmp', '--proc', '/proc', '--dev', '/dev']
const spaces = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--cap-drop', 'ALL']

/** Nothing when it works, else what it said. */
function tried(program: string, more: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const args = [...more, ...basics, ...spaces, '--die-with-parent', '--', 'true']
    execFile(program, args, { timeout: 20_000, env: { PATH: process.env['PATH'] } }, (error, _, stderr) => {
      const said = stderr.trim().split('\n')[0]
      resolve(error === null ? undefined : said || error.message)
    })
  })
}
