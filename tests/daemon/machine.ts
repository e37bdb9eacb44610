/** A machine that misbehaves: homes on small or read-only file systems, and daemons as processes. */
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'

/** Why no file system can be mounted here; undefined if one can. */
export const noMount = mountProblem()

function mountProblem(): string | undefined {
  if (process.platform !== 'linux') return 'no Linux'
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (status === 0) spawnSync('umount', [folder])
  rmdirSync(folder)
  return status === 0 ? undefined : 'file systems may not be mounted here'
}

/** The title of a test that needs something this machine may not have. */
export function skipTitle(title: string, why: string | undefined): string {
  return why === undefined ? title : `${title} (skipped: ${why})`
}

export interface Machine extends Project {
  /** Uses all free space. */
  fill(): void
  free(): void
  /** Makes it read-only for everything that is opened from now on. */
  lock(): void
  unlock(): void
}

/** A project whose home is a separate file system. */
export function createMachine(files: Readonly<Record<string, string | object>>, size = '4m'): Machine {
  const project = createProject()
  const home = project.at('.cadre')
  mkdirSync(home)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', home])
  onTestFinished(() => {
    while (spawnSync('umount', ['-l', home]).status === 0);
  })
  for (const [file, content] of Object.entries(files)) project.write(file, content)
  return {
    ...project,
    fill: () => fillFolder(home),
    free: () => rmSync(path.join(home, 'fill')),
    lock() {
      // Open files would prevent a remount as read-only, so a second mount covers the first one. It is read-only before
      // anything can open a file through it.
      const aside = mkdtempSync(path.join(tmpdir(), 'cadre-locked-'))
      execFileSync('mount', ['--bind', home, aside])
      execFileSync('mount', ['-o', 'remount,bind,ro', aside])
      execFileSync('mount', ['--bind', aside, home])
      execFileSync('umount', ['-l', aside])
      rmdirSync(aside)
    },
    unlock: () => void execFileSync('umount', ['-l', home]),
  }
}

/** A folder that is a separate file system. */
export function createSmallFolder(size: string): Project {
  const project = createProject()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', project.path])
  onTestFinished(() => void spawnSync('umount', ['-l', project.path]))
  return project
}

/** Uses all free space, with a file with that name. */
export function fillFolder(folder: string): void {
  const handle = openSync(path.join(folder, 'fill'), 'a')
  try {
    for (const bytes = Buffer.alloc(4096); ; ) writeSync(handle, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(handle)
  }
}

export interface Status {
  readonly running: boolean
  readonly pid: number
  readonly sessions: { readonly running: readonly string[]; readonly waiting: readonly string[] }
  readonly problems: readonly { readonly file: string; readonly message: string }[]
  readonly gitMissing?: string
}

export async function statusOf(project: Project): Promise<Status> {
  const { stdout } = await project.cadre(['status', '--json'])
  return JSON.parse(stdout) as Status
}

export interface Running {
  readonly pid: number
  /** Its output so far. */
  shown(): string
  signal(name: NodeJS.Signals): void
  ended(): Promise<unknown>
  stop(): Promise<number | null>
}

/** A daemon in the foreground of a separate process, once it is ready. Killed with the test. */
export async function startDaemon(
  project: Project,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const running = project.start(['up', '--trust', '--model', 'scripted:playbook.yaml', ...args], { env })
  await running.until((stdout) => stdout.includes('Watching '))
  return {
    pid: running.pid,
    shown: () => running.stdout() + running.stderr(),
    signal: (name) => void process.kill(running.pid, name),
    ended: () => running.ended(),
    async stop() {
      process.kill(running.pid, 'SIGTERM')
      return (await running.ended()).code
    },
  }
}

/** Suspends the daemon, so that it sees all changes at once. */
export async function whileSuspended(daemon: Running, work: () => void | Promise<void>): Promise<void> {
  daemon.signal('SIGSTOP')
  try {
    await work()
  } finally {
    daemon.signal('SIGCONT')
  }
}

/** Returns the status with the problem; the next one may not have it. */
export async function untilProblem(project: Project, text: string): Promise<Status> {
  for (;;) {
    const status = await statusOf(project)
    if (status.problems.some(({ message }) => message.includes(text))) return status
    // Each check is a separate process.
    await delay(200)
  }
}

export async function untilHealthy(project: Project): Promise<void> {
  await until(async () => (await statusOf(project)).problems.length === 0)
}

export const agent = (name: string) => ({
  [`.cadre/templates/${name}.agent.yaml`]: {
    id: name,
    type: name,
    description: `The ${name}`,
    system_prompt: `You are ${name}.`,
  },
})

/** A session that a person starts in an editor. */
export const personSession = (name: string) =>
  `agent_id: ${name}\nmessages:\n  - role: user\n    content: hi\n`

/**
 * Tools of the project. `work` records in `runs.txt` that it ran, waits for the file `go`, and returns more than fits into
 * the remaining space; `look` waits for the file `go`, and changes nothing. Commands would need a sandbox, which a machine
 * may not have.
 */
export const ownTools = {
  '.cadre/config.yaml': { tools: ['tools.mjs'] },
  '.cadre/tools.mjs': `
import { appendFileSync, existsSync } from 'node:fs'
import path from 'node:path'

const project = path.dirname(import.meta.dirname)
const gone = async () => {
  while (!existsSync(path.join(project, 'go'))) await new Promise((resolve) => setTimeout(resolve, 20))
}
const common = { parameters: { type: 'object' }, input: { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } } }
export const work = {
  ...common, name: 'work', description: 'Works', class: 'edit', effect: 'write',
  async run() {
    appendFileSync(path.join(project, 'runs.txt'), 'x\\n')
    await gone()
    return { content: 'y'.repeat(9000) + ' over' }
  },
}
export const look = {
  ...common, name: 'look', description: 'Looks', class: 'read', effect: 'read',
  async run() {
    appendFileSync(path.join(project, 'looks.txt'), 'x')
    await gone()
    return { content: 'seen' }
  },
}
`,
}
