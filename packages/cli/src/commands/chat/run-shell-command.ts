import { spawn } from 'node:child_process'
import { cleanText } from '../../output/clean-text.ts'
import type { Chat } from './chat.ts'

/** The maximum output that the agent gets; the screen shows all of it. */
const maxOutputLength = 10_000

/**
 * Runs a shell command of the person in the workspace, with their shell and permissions. Shows the output, and sends it to
 * the agent with the next message. Ctrl-C stops it.
 */
export async function runShellCommand(chat: Chat, line: string): Promise<void> {
  const { output, drive, screen, io, conversation } = chat
  if (screen === undefined) return
  const child = spawn(io.env['SHELL'] || '/bin/sh', ['-c', line], {
    cwd: conversation.workspace,
    env: io.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const stop = () => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch {
      // It has exited meanwhile.
    }
  }
  screen.onCancel = stop
  let told = ''
  const show = (text: string) => {
    drive.stdout.write(cleanText(text))
    if (told.length < maxOutputLength * 2) told += text
  }
  try {
    const ended = new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', show)
      child.stderr.setEncoding('utf8').on('data', show)
      child.on('error', (error) => resolve(error.message))
      child.on('close', (code, signal) =>
        resolve(signal === null ? `exit code ${code}` : `stopped by ${signal}`),
      )
    })
    const how = await ended
    if (told !== '' && !told.endsWith('\n')) drive.stdout.write('\n')
    output.note(drive.style.dim(`${how} · shared with the agent in your next message`))
    const shown = cleanText(told).slice(0, maxOutputLength)
    chat.notes.push(`The user ran \`${line}\` (${how}):\n\n${shown}`)
  } finally {
    screen.onCancel = undefined
    stop()
  }
}
