import { statSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type StoredSession } from '@cadre/core'
import { openSessions, type Sessions } from '@cadre/runtime'
import { exportHtml, exportRun } from '@cadre/server'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { version } from '../../version.ts'
import { writeFiles } from '../agents/agents-files.ts'
import type { OpenFlags } from './open.ts'

/** `cadre open --export`: writes one run to one HTML file. Reads only, so no login and no daemon is needed. */
export async function exportPage(io: Io, flags: OpenFlags & { readonly export: string }): Promise<ExitCode> {
  const other = (['role', 'readOnly', 'port', 'noBrowser'] as const).find((name) => flags[name] !== undefined)
  if (other !== undefined)
    throw new CadreError('usage', `--export and ${flagNames[other]} cannot be combined.`)
  const folder = path.resolve(io.cwd, flags.export)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new CadreError('usage', `--export needs a folder; ${flags.export} is a file.`)
  const sessions = await openSessions(io, flags.home)
  try {
    const shown = await chooseSession(sessions, flags.session)
    const { root } = (await sessions.read(shown)).spec
    const run = await exportRun({
      sessions: await treeOf(sessions, root),
      root,
      shown,
      isRunning: sessions.owner(root) !== undefined,
      env: io.env,
      version,
      now: new Date().toISOString(),
    })
    const file = `cadre-${root}.html`
    writeFiles({ folder, files: [{ path: file, text: exportHtml(run) }], force: true })
    const told = {
      type: 'exported',
      session: shown,
      root,
      path: path.join(folder, file),
      sessions: run.sessions.length,
    }
    io.stdout.write(
      flags.json
        ? `${JSON.stringify(told)}\n`
        : `Wrote ${cleanLine(told.path)} (${told.sessions} ${told.sessions === 1 ? 'session' : 'sessions'}). Open it in any browser. Secrets in known formats are masked; read it before you share it.\n`,
    )
    return exitCodes.done
  } finally {
    await sessions.close()
  }
}

const flagNames = {
  role: '--role',
  readOnly: '--read-only',
  port: '--port',
  noBrowser: '--no-browser',
} as const

async function chooseSession(sessions: Sessions, beginning: string | undefined): Promise<string> {
  if (beginning !== undefined) return sessions.find(beginning)
  const newest = (await sessions.list()).find(({ parent }) => parent === undefined)
  if (newest !== undefined) return newest.id
  throw new CadreError('not_found', 'there are no sessions to export. Start one with: cadre run "…"', {
    where: sessions.home.at('sessions'),
  })
}

async function treeOf(sessions: Sessions, root: string): Promise<readonly StoredSession[]> {
  const all: StoredSession[] = []
  for await (const stored of sessions.tree(root)) all.push(stored)
  return all
}
