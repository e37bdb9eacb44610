import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export function fromRoot(...parts) {
  return path.join(root, ...parts)
}

// Standard error, so that the output of the following command stays clean.
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** Runs a command to its end and prints its progress; resolves with true if it succeeded. */
export async function run(title, command, args, options = {}) {
  const started = Date.now()
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`
  say(`${title}…`)
  // Without a terminal npm prints nothing, so this shows that it is still running.
  const heartbeat = setInterval(() => say(`${title}… ${seconds()}`), 10_000)
  const code = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options })
    child.on('error', (error) => {
      say(error.message)
      resolve(127)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
  clearInterval(heartbeat)
  say(`${title}: ${code === 0 ? 'done' : 'failed'} (${seconds()})`)
  return code === 0
}

/** The JavaScript file of an installed command, so that it runs without a shell on every system. */
export function binOf(dependency, command = dependency) {
  const folder = fromRoot('node_modules', dependency)
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  return path.join(folder, typeof bin === 'string' ? bin : bin[command])
}

/** Replaces this script with another command in the same process, so signals, the terminal and the exit code need no forwarding. */
export async function become(file, args) {
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
}
