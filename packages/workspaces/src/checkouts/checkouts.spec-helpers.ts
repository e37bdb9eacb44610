import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openHome } from '@cadre/home'
import { onTestFinished } from 'vitest'
import { type CheckoutLife, type Checkouts, type CheckoutsOptions, openCheckouts } from './open-checkouts.ts'

export const never = new AbortController().signal

/** A life of a tree whose loss and notices a test sees. */
export interface TestLife extends CheckoutLife {
  readonly notices: (string | undefined)[]
  lose(): void
}

export interface TestWorker {
  readonly checkouts: Checkouts
  readonly home: ReturnType<typeof openHome>
  readonly reports: string[]
  /** Starts a life of the tree, and takes its checkout over. */
  take(root: string): Promise<{ readonly life: TestLife; readonly folder: string }>
  life(root: string): TestLife
}

export interface TestRepository {
  readonly folder: string
  readonly bare: string
  git(...args: string[]): string
  /** A file of a ref, or `undefined`. */
  show(ref: string, file: string): string | undefined
  /** `options.repository`: its address for this worker. Default: its path. */
  worker(name?: string, options?: Partial<CheckoutsOptions>): TestWorker
}

export function gitIn(folder: string, ...args: string[]): string {
  const own = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

/** A bare repository with one commit, and workers without shared files. */
export function createTestRepository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
): TestRepository {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-checkouts-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const bare = path.join(folder, 'project.git')
  const seed = path.join(folder, 'seed')
  mkdirSync(seed)
  gitIn(folder, 'init', '-q', '--bare', '-b', 'main', bare)
  gitIn(seed, 'init', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(files)) writeIn(seed, name, text)
  gitIn(seed, 'add', '-A')
  gitIn(seed, 'commit', '-qm', 'first')
  gitIn(seed, 'push', '-q', bare, 'main')
  let count = 0
  return {
    folder,
    bare,
    git: (...args) => gitIn(bare, ...args),
    show(ref, file) {
      try {
        return gitIn(bare, 'show', `${ref}:${file}`)
      } catch {
        return undefined
      }
    },
    worker(name = `worker-${++count}`, options = {}) {
      const home = openHome({ home: path.join(folder, name, '.cadre'), cwd: folder, env: {} })
      const reports: string[] = []
      const checkouts = openCheckouts({
        ...{ home, repository: bare, worker: '9080', maxDelay: 50, maxIdle: 2 },
        report: (message) => void reports.push(message),
        ...options,
      })
      const life = (root: string) => {
        const made = createLife(root)
        checkouts.begin(made)
        return made
      }
      return {
        checkouts,
        home,
        reports,
        life,
        async take(root) {
          const mine = life(root)
          return { life: mine, folder: await checkouts.prepare(root, never) }
        },
      }
    },
  }
}

function createLife(root: string): TestLife {
  const controller = new AbortController()
  const notices: (string | undefined)[] = []
  return {
    root,
    lost: controller.signal,
    notices,
    lose: () => controller.abort(),
    confirm: async () => controller.signal.throwIfAborted(),
    giveUp: () => controller.abort(),
    notify(message) {
      if (message !== notices.at(-1)) notices.push(message)
    },
  }
}

export function writeIn(folder: string, name: string, text: string): void {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export function readIn(folder: string, name: string): string | undefined {
  const file = path.join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
