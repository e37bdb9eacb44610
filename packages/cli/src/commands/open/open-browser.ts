import { spawn } from 'node:child_process'
import type { Io } from '../../io.ts'

type Environment = Pick<Io, 'env'>

/** Whether a browser can show something to the person at this terminal. */
export function hasDisplay({ env }: Environment, platform: NodeJS.Platform = process.platform): boolean {
  // The person sits at another machine.
  if (env['SSH_CONNECTION'] || env['SSH_TTY'] || env['CI']) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/** The program that opens an address, and its arguments. */
function browserCommand(url: string, platform: NodeJS.Platform = process.platform): readonly string[] {
  if (platform === 'darwin') return ['open', url]
  // The shell's own `start` would read `&` in an address as the end of the command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}

/** Opens an address in the user's browser. Resolves with false if no program can. */
export function openBrowser(url: string, { env }: Environment): Promise<boolean> {
  const [program = '', ...args] = browserCommand(url)
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
