import { execFile } from 'node:child_process'
import { cleanEnvironment } from './clean-environment.ts'
import { findProgram } from './find-program.ts'

let settings: Promise<string> | undefined

/** Who commits. The user's own settings stay hidden: they may hold keys, and name programs to run. */
export function gitSettings(): Promise<string> {
  settings ??= Promise.all([gitValue('user.name'), gitValue('user.email')]).then(([name, email]) => {
    const lines = [name && `\tname = ${quoted(name)}`, email && `\temail = ${quoted(email)}`].filter(Boolean)
    return lines.length === 0 ? '' : `[user]\n${lines.join('\n')}\n`
  })
  return settings
}

function gitValue(key: string): Promise<string> {
  return new Promise((resolve) => {
    const git = findProgram('git', process.env) ?? '/usr/bin/git'
    execFile(
      git,
      ['config', '--global', '--get', key],
      { cwd: '/', timeout: 10_000, env: cleanEnvironment(process.env, []) },
      (error, stdout) => resolve(error === null ? stdout.trim() : ''),
    )
  })
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&').replace(/[\r\n]/g, ' ')}"`
}
