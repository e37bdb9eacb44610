import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { checkConfigText } from '@cadre/home'
import { homeOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { readLine } from '../../run/ask-line.ts'
import { configPaths } from './config-rows.ts'

const start = '# Cadre settings. "cadre config list --all" lists all keys.\n'

/** `cadre config edit`. */
export async function editConfig(
  io: Io,
  flags: { readonly project?: boolean; readonly home?: string },
): Promise<ExitCode> {
  const { user, project } = await configPaths(io, flags.home)
  const file = flags.project ? project : user
  const editor =
    io.env['VISUAL']?.trim() || io.env['EDITOR']?.trim() || (process.platform === 'win32' ? 'notepad' : 'vi')
  if (flags.project) homeOf(io, flags.home).folder('storage')
  mkdirSync(path.dirname(file), { recursive: true })
  if (!existsSync(file)) writeFileSync(file, start, { flag: 'wx', mode: 0o600 })
  for (;;) {
    await open(io, editor, file)
    const faults = checkConfigText(readFileSync(file, 'utf8'), file)
    if (faults.length === 0) return exitCodes.done
    const problems = faults.map(showDiagnostic).join('\n')
    const isThere = io.stdin.isTTY === true && io.stdout.isTTY
    if (isThere) {
      io.warn(problems)
      const said = await readLine(io, 'Edit again? Y/n: ', {
        signal: new AbortController().signal,
        interrupt: () => {},
      })
      if (said !== undefined && !/^n/i.test(said)) continue
    }
    throw new CadreError('configuration', problems)
  }
}

/** The editor may include options, so a shell parses it; the file is passed separately. */
function open(io: Io, editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { stdio: 'inherit', env: io.env, cwd: io.cwd } as const
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { ...options, shell: true })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], options)
    child.on('error', (error) =>
      reject(new CadreError('configuration', `cannot start the editor: ${error.message}`)),
    )
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else
        reject(
          new CadreError(
            'configuration',
            `the editor ${JSON.stringify(editor)} exited with ${code}. Set VISUAL or EDITOR to another one.`,
          ),
        )
    })
  })
}
