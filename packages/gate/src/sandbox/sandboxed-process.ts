import { privateHome } from './bubblewrap-args.ts'
import { toolHomes } from './tool-folders.ts'

// Closes the file descriptors that bubblewrap leaves open or this process has inherited. The first argument is the maximum
// number of threads in this namespace.
export const sandboxStartScript =
  '[ "$1" = - ] || ulimit -u "$1"; shift; for fd in $(ls /proc/self/fd); do [ "$fd" -gt 2 ] && { [ -n "$BASH" ] || [ "$fd" -lt 10 ]; } && eval "exec $fd>&-"; done; exec "$@"'

/** The environment of a program in the sandbox. */
export function sandboxedEnvironment(given: NodeJS.ProcessEnv, userHome: string): NodeJS.ProcessEnv {
  // They point to the user's home directory, which is different here.
  const kept = Object.entries(given).filter(([name]) => !name.startsWith('XDG_'))
  return {
    ...Object.fromEntries(kept),
    ...toolHomes(given, userHome),
    HOME: privateHome,
    TMPDIR: '/tmp',
    TMP: '/tmp',
    TEMP: '/tmp',
  }
}
