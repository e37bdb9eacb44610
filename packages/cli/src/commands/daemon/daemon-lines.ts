import { appendFileSync } from 'node:fs'
import path from 'node:path'
import type { CadreEvent } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { DaemonStatus } from '@cadre/server'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { localClock } from '../../output/local-time.ts'
import { createPlainLines } from '../../output/plain-lines.ts'
import { wrapForTerminal } from '../../output/wrap-for-terminal.ts'

type DaemonEvent = { readonly type: string; readonly message: string }

export interface DaemonLines {
  happened(happening: DaemonEvent): void
  event(event: CadreEvent): void
  tell(message: string): void
  say(line: string): void
  /** `place`: where agents work, if not in the daemon's workspace. */
  ready(status: DaemonStatus, home: Home, place?: string): void
}

/** The output of a daemon: one line or JSON object per event. The daemon keeps working if this fails. */
export async function daemonLines(
  io: Io,
  { log, json = false }: { readonly log?: string; readonly json?: boolean },
): Promise<DaemonLines> {
  const file = log === undefined ? undefined : path.resolve(io.cwd, log)
  const write = (line: string) => {
    if (file === undefined) io.stdout.write(`${line}\n`)
    else appendTo(file, `${line}\n`)
  }
  const at = () => new Date().toISOString()
  // A log file may be read elsewhere, so it uses UTC with the date.
  const plain = (line: string) =>
    write(
      file === undefined
        ? wrapForTerminal(io.stdout, `${localClock(new Date())} ${line}`)
        : `${at()} ${line}`,
    )
  const surface = createPlainLines(plain, plain)
  return {
    happened(happening) {
      if (json) write(JSON.stringify({ at: at(), ...happening }))
      else plain(cleanLine(happening.message))
    },
    event(event) {
      if (!json) surface.event(event)
      else if (event.type !== 'text.added' && event.type !== 'call.progressed') write(JSON.stringify(event))
    },
    tell(message) {
      if (json) write(JSON.stringify({ at: at(), type: 'notice.added', message }))
      else plain(`note: ${cleanLine(message)}`)
    },
    say(line) {
      if (!json) plain(line)
    },
    ready(status, home, place = status.workspace) {
      if (json) {
        write(JSON.stringify({ at: at(), type: 'daemon.ready', pid: status.pid, home: home.path }))
        return
      }
      plain(`Watching ${home.path}. Agents work in ${place}. Press Ctrl-C to stop.`)
    },
  }
}

function appendTo(file: string, line: string): void {
  try {
    appendFileSync(file, line, { mode: 0o600 })
  } catch {
    // On a full disk the daemon keeps running: the sessions and the status have the important data.
  }
}
