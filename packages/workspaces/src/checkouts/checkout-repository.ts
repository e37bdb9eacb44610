import path from 'node:path'
import { CadreError, messageOf } from '@cadre/core'
import { type GitRequest, maskUserinfo, tryGit } from '@cadre/disk'
import { hideCredentials } from './hide-credentials.ts'

/** The repository that the workers of a place share. */
export interface CheckoutRepository {
  /** Its address without credentials. */
  readonly shown: string
  /** Its refs that match a pattern of `git ls-remote`, by name, and the name of its default branch. */
  list(patterns: readonly string[], signal?: AbortSignal): Promise<RemoteRefs>
  /** Fetches these refs or commits. A ref with `:` is stored under the name after it. */
  fetch(wanted: readonly string[], request: GitRequest): Promise<void>
  /** Updates refs, all or none, if each still has the expected value. Rejects otherwise: `list` tells why. `isTrial`: changes nothing. */
  push(updates: readonly RefUpdate[], request: GitRequest & { readonly isTrial?: boolean }): Promise<void>
}

export interface RemoteRefs {
  readonly refs: ReadonlyMap<string, string>
  readonly defaultBranch: string | undefined
}

export interface RefUpdate {
  readonly ref: string
  readonly commit: string
  /** The value that it has at the repository. `undefined`: it must not exist. */
  readonly expected: string | undefined
}

const listTimeoutMs = 60_000
const transferTimeoutMs = 30 * 60_000

export interface CheckoutRepositoryOptions {
  /** How long the repository may send nothing during a command. Default: 5 minutes. */
  readonly stallSeconds?: number | undefined
}

export function openCheckoutRepository(
  whole: string,
  { stallSeconds }: CheckoutRepositoryOptions = {},
): CheckoutRepository {
  // Not in a project, whose settings git would read.
  const cwd = path.parse(process.cwd()).root
  const { address, shown, problem, ...credentials } = hideCredentials(whole)
  const run = async (what: string, args: readonly string[], request: GitRequest): Promise<string> => {
    if (problem !== undefined)
      throw new CadreError('configuration', `cannot ${what} ${shown}: its address cannot be used. ${problem}`)
    let reason: string
    try {
      const { code, stdout, stderr } = await tryGit(args, {
        ...request,
        ...credentials,
        stallSeconds,
        usesRemotes: true,
      })
      if (code === 0) return stdout
      reason = reasonIn(stderr)
      if (args[0] === 'push') reason = reason.replace(commitIds, 'COMMIT')
    } catch (error) {
      reason = messageOf(error)
    }
    throw new CadreError('backend', `cannot ${what} ${shown}: ${withAdvice(maskUserinfo(reason))}`)
  }
  return {
    shown,
    async list(patterns, signal) {
      const args = ['ls-remote', '-q', '--symref', '--', address, 'HEAD', ...patterns]
      const listed = await run('read', args, { cwd, signal, timeoutMs: listTimeoutMs })
      const refs = new Map<string, string>()
      let defaultBranch: string | undefined
      for (const line of listed.split('\n')) {
        const [value = '', name = ''] = line.split('\t')
        if (name === 'HEAD' && value.startsWith('ref: ')) defaultBranch = value.slice(5)
        else if (/^[0-9a-f]{40,64}$/.test(value)) refs.set(name, value)
      }
      return { refs, defaultBranch }
    },
    async fetch(wanted, request) {
      const flags = ['-q', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--no-auto-gc']
      await run('fetch from', ['fetch', ...flags, '--', address, ...wanted], {
        ...request,
        timeoutMs: transferTimeoutMs,
      })
    },
    async push(updates, { isTrial = false, ...request }) {
      const flags = ['-q', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', '--no-signed']
      const leases = updates.map(({ ref, expected = '' }) => `--force-with-lease=${ref}:${expected}`)
      const atomic = updates.length > 1 ? ['--atomic'] : []
      const refspecs = updates.map(({ ref, commit }) => `${commit}:${ref}`)
      const trial = isTrial ? ['--dry-run'] : []
      await run('push to', ['push', ...flags, ...trial, ...atomic, ...leases, '--', address, ...refspecs], {
        ...request,
        timeoutMs: transferTimeoutMs,
      })
    },
  }
}

const boilerplate =
  /^(hint:|@+$|Could not read from remote repository|Please make sure you have the correct access|and the repository exists)/

/** Each attempt pushes another commit, but people are told a reason again only if it has changed. */
const commitIds = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g

/** A hook of the server explains first, and then adds details. A server may print a banner before ssh and git say what failed. */
function reasonIn(stderr: string): string {
  const said = stderr.split('\n').map((line) => line.trim())
  const linesOf = (isRemote: boolean) =>
    said
      .filter((line) => line.startsWith('remote:') === isRemote)
      .map((line) => line.replace(/^(fatal|error|remote):\s*/, ''))
      .filter((line) => line !== '' && !boilerplate.test(line))
  const lines = [...linesOf(true).slice(0, 3), ...linesOf(false).slice(-3)]
  return lines.join(' ').slice(0, 600) || 'git printed no reason'
}

const advice: readonly (readonly [RegExp, string])[] = [
  [
    /host key .* has changed/i,
    'If this is expected, replace its key in the known_hosts file of the user who runs Cadre.',
  ],
  [
    /Host key verification failed/,
    'As the user who runs Cadre, connect to the server once with ssh, and confirm its key.',
  ],
  [/could not read (Username|Password)/, 'Configure a credential helper of git for the user who runs Cadre.'],
  [
    /bad\/illegal format|URL rejected/,
    'Encode special characters in the user name and password, such as / as %2F.',
  ],
]

function withAdvice(reason: string): string {
  const found = advice.find(([pattern]) => pattern.test(reason))
  return found === undefined ? reason : `${reason.replace(/\.$/, '')}. ${found[1]}`
}
