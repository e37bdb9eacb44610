// Only what every start needs is imported here: the help and the version must be there at once.
import { openOutput } from './output/output.ts'
import { answerAtOnce, asksForJson, runCadre } from './run-cadre.ts'

const args = process.argv.slice(2)
const stdout = openOutput(process.stdout)
const stderr = openOutput(process.stderr)

// Most starts need no standard input: it is opened only when somebody looks at it.
const ends = {
  stdout,
  get stdin() {
    return process.stdin
  },
}
if (answerAtOnce(args, ends) === undefined) void start()

async function start(): Promise<void> {
  // Before anything is started that could read them.
  const { hideKeys } = await import('./hide-keys.ts')
  hideKeys()
  const { createIo } = await import('./io.ts')
  const io = createIo({ stdout, stderr, stdin: process.stdin, env: process.env, cwd: process.cwd() })
  const { tellFailure } = await import('./failure.ts')
  const crash = (error: unknown) => process.exit(tellFailure(error, io, asksForJson(args)))
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  process.on('exit', () => stdout.release())
  const code = await runCadre(args, io)
  await Promise.all([stdout.flushed(), stderr.flushed()])
  // Whatever may still be open, a watcher or a kept connection, must not hold the shell up.
  process.exit(code)
}
