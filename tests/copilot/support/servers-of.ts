import { readdirSync, readFileSync } from 'node:fs'
import type { FakeGitHub } from './fake-github.ts'

/** The living language server processes that are signed in here, whoever started them. */
export function serversOf({ url }: Pick<FakeGitHub, 'url'>): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isServer(pid, url))
}

function isServer(pid: number, url: string): boolean {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
    const isSignedInHere = read('environ').includes(`GITHUB_COPILOT_API_URL=${url}/`)
    return (
      isSignedInHere && read('cmdline').includes('copilot-language-server') && !/\) Z /.test(read('stat'))
    )
  } catch {
    return false
  }
}
