import { execFile } from 'node:child_process'
import { cleanEnvironment } from './clean-environment.ts'
import { findProgram } from './find-program.ts'

/** Keyed by the environment of git. */
const known = new Map<string, Promise<string>>()

/** The identity for commits. The user's own settings stay hidden: they may contain keys, and name programs to run. */
export function gitSettings(): Promise<string> {
  const env = cleanEnvironment(process.env, [])
  const key = JSON.stringify(env)
  const settings = known.get(key) ?? readSettings(env)
  known.set(key, settings)
  return settings
}

async function readSettings(env: NodeJS.ProcessEnv): Promise<string> {
  const [name, email] = await Promise.all([gitValue('user.name', env), gitValue('user.email', env)])
  const lines = [name && `\tname = ${quoteValue(name)}`, email && `\temail = ${quoteValue(email)}`].filter(
    Boolean,
  )
  return lines.length === 0 ? '' : `[user]\n${lines.join('\n')}\n`
}

function gitValue(key: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const git = findProgram('git', process.env) ?? '/usr/bin/git'
    execFile(git, ['config', '--global', '--get', key], { cwd: '/', timeout: 10_000, env }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ''),
    )
  })
}

function quoteValue(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&').replace(/[\r\n]/g, ' ')}"`
}
