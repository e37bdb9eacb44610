import { spawn } from 'node:child_process'
import { commandFile } from '../../app/own-files.ts'
import type { Io } from '../../io.ts'

export interface CadreEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs this same command as a process of its own, as a person would. */
export function runCadre(io: Io, args: readonly string[]): Promise<CadreEnd> {
  const child = spawn(process.execPath, [commandFile, ...args], {
    cwd: io.cwd,
    env: io.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
