/**
 * Owns the test process while the command runs in it: its environment, current folder and listeners.
 *
 * 1. One command at a time. A second concurrent command needs a separate process.
 * 2. Everything is restored afterwards. A command that leaves a listener behind fails its test.
 */
import { Readable, Writable } from 'node:stream'
import { createIo } from '../../../packages/cli/src/io.ts'
import { openOutput } from '../../../packages/cli/src/output/output.ts'
import { runCadre } from '../../../packages/cli/src/run-cadre.ts'

/** These commands start, watch or end processes. */
const ownProcess = new Set(['up', 'down', 'demo'])

/** The PATH of this process while no command runs in it. */
export const ownPath = process.env['PATH'] ?? ''

export interface CommandRequest {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
}

let isBusy = false

/** True if this process can run the command as well as a separate one. Variables of Node affect only the start of a process. */
export function canRunHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  const isForNode = Object.keys(env).some((name) => name.startsWith('NODE_'))
  return !isBusy && !isForNode && !args.some((word) => ownProcess.has(word))
}

export async function runHere({ args, cwd, env, input }: CommandRequest) {
  if (isBusy) throw new Error('a command runs in this process already')
  const giveBack = [borrowFolder(cwd), borrowEnvironment(env)]
  isBusy = true
  const before = countListeners()
  const [said, complained] = [collect(), collect()]
  const [stdout, stderr] = [openOutput(said.stream), openOutput(complained.stream)]
  try {
    const io = createIo({
      stdout,
      stderr,
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)], {
        objectMode: false,
      }) as NodeJS.ReadStream,
      // A new object each time, because facts about an environment are cached until the process exits.
      env: new Proxy(process.env, { set: (own, name, value) => Reflect.set(own, name, value) }),
      cwd,
    })
    const code = await runCadre(args, io)
    await Promise.all([stdout.flushed(), stderr.flushed()])
    const after = countListeners()
    if (after !== before) throw new Error(`\`cadre ${args.join(' ')}\` left listeners: ${before} → ${after}`)
    return { code, stdout: said.text(), stderr: complained.text() }
  } finally {
    for (const step of giveBack) step()
    isBusy = false
  }
}

function borrowEnvironment(env: Readonly<Record<string, string>>): () => void {
  const own = { ...process.env }
  replaceEnvironment(env)
  return () => replaceEnvironment(own)
}

function replaceEnvironment(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  Object.assign(process.env, env)
}

function borrowFolder(cwd: string): () => void {
  const own = process.cwd()
  process.chdir(cwd)
  return () => process.chdir(own)
}

function countListeners(): string {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGCONT', 'SIGTSTP', 'uncaughtException']
  return names.map((name) => `${name} ${process.listenerCount(name)}`).join(', ')
}

function collect(): { readonly stream: NodeJS.WriteStream; text(): string } {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(bytes: Buffer, _, done) {
      parts.push(bytes)
      done()
    },
  })
  return { stream: stream as NodeJS.WriteStream, text: () => Buffer.concat(parts).toString('utf8') }
}
