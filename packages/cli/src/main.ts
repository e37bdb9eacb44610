// Imports only what every start needs, so that the help and the version are fast.
import { openOutput } from './output/output.ts'
import { answerHelpOrVersion, asksForJson, runCadre } from './run-cadre.ts'

const args = process.argv.slice(2)
const stdout = openOutput(process.stdout)
const stderr = openOutput(process.stderr)

// Most commands need no standard input, so it is opened on first use.
const endsWithoutInput = {
  stdout,
  get stdin() {
    return process.stdin
  },
}
if (answerHelpOrVersion(args, endsWithoutInput) === undefined) void start()

async function start(): Promise<void> {
  // Before any program starts that could read them.
  const { hideKeys } = await import('./hide-keys.ts')
  hideKeys()
  const { createIo } = await import('./io.ts')
  const io = createIo({ stdout, stderr, stdin: process.stdin, env: process.env, cwd: process.cwd() })
  const { reportFailure: tellFailure } = await import('./report-failure.ts')
  const crash = (error: unknown) => process.exit(tellFailure(error, io, asksForJson(args)))
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  process.on('exit', () => stdout.release())
  const code = await runCadre(args, io)
  await Promise.all([stdout.flushed(), stderr.flushed()])
  // An open watcher or connection must not delay the exit.
  process.exit(code)
}
