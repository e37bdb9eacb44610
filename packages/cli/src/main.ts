// Only what every start needs is imported here: the help and the version must be there at once.
import { helpText } from './help-text.ts'
import { openOutput } from './output/output.ts'
import { version } from './version.ts'

const args = process.argv.slice(2)
const first = args[0]
const stdout = openOutput(process.stdout)
const stderr = openOutput(process.stderr)

if (
  first === undefined ||
  ((first === '--help' || first === '-h' || first === 'help') && args.length === 1)
) {
  stdout.write(helpText())
} else if (first === '--version' || first === '-v' || first === '-V') {
  stdout.write(`${version}\n`)
} else {
  await start(first === 'help' ? [...args.slice(1), '--help'] : args)
}

async function start(given: readonly string[]): Promise<void> {
  // Before anything is started that could read them.
  const { hideKeys } = await import('./hide-keys.ts')
  hideKeys()
  const { createIo } = await import('./io.ts')
  const io = createIo({ stdout, stderr, stdin: process.stdin, env: process.env, cwd: process.cwd() })
  const end = given.indexOf('--')
  const asJson = given.slice(0, end < 0 ? undefined : end).includes('--json')
  const { tellFailure } = await import('./failure.ts')
  const crash = (error: unknown) => process.exit(tellFailure(error, io, asJson))
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  let code: number
  try {
    const { runApp } = await import('./app/run-app.ts')
    code = await runApp(given, io)
  } catch (error) {
    code = tellFailure(error, io, asJson)
  }
  await Promise.all([stdout.flushed(), stderr.flushed()])
  // Whatever may still be open, a watcher or a kept connection, must not hold the shell up.
  process.exit(code)
}
