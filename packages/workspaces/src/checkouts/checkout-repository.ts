import path from 'node:path'
import { CadreError, messageOf } from '@cadre/core'
import { type GitRequest, maskUserinfo, tryGit } from '@cadre/disk'

/** The repository that the workers of a place share. */
export interface CheckoutRepository {
  /** Its address without credentials. */
  readonly shown: string
  /** Its refs that match a pattern of `git ls-remote`, by name, and the name of its default branch. */
  list(patterns: readonly string[], signal?: AbortSignal): Promise<RemoteRefs>
  /** Fetches these refs or commits. A ref with `:` is stored under the name after it. */
  fetch(wanted: readonly string[], request: GitRequest): Promise<void>
  /** Updates refs, all or none, if each still has the expected value. Rejects otherwise: `list` tells why. */
  push(updates: readonly RefUpdate[], request: GitRequest): Promise<void>
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

export function openCheckoutRepository(address: string): CheckoutRepository {
  // Not in a project, whose settings git would read.
  const cwd = path.parse(process.cwd()).root
  const shown = maskUserinfo(address)
  const run = async (what: string, args: readonly string[], request: GitRequest): Promise<string> => {
    let reason: string
    try {
      const { code, stdout, stderr } = await tryGit(args, { ...request, usesRemotes: true })
      if (code === 0) return stdout
      reason = reasonIn(stderr)
    } catch (error) {
      reason = messageOf(error)
    }
    throw new CadreError('backend', `cannot ${what} ${shown}: ${maskUserinfo(reason)}`)
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
    async push(updates, request) {
      const flags = ['-q', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', '--no-signed']
      const leases = updates.map(({ ref, expected = '' }) => `--force-with-lease=${ref}:${expected}`)
      const atomic = updates.length > 1 ? ['--atomic'] : []
      const refspecs = updates.map(({ ref, commit }) => `${commit}:${ref}`)
      await run('push to', ['push', ...flags, ...atomic, ...leases, '--', address, ...refspecs], {
        ...request,
        timeoutMs: transferTimeoutMs,
      })
    },
  }
}

const boilerplate =
  /^(hint:|Could not read from remote repository|Please make sure you have the correct access|and the repository exists)/

function reasonIn(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote): /, '').trim())
    .filter((line) => line !== '' && !boilerplate.test(line))
  return lines.slice(0, 4).join(' ').slice(0, 600) || 'git printed no reason'
}
