import { createHash } from 'node:crypto'
import path from 'node:path'
import { allowedTargets, CadreError, sentenceOf } from '@cadre/core'
import { type RawText, systemClock } from '@cadre/disk'
import { readPlainFile } from '@cadre/home'
import { createSessionFromChatLog, readChatLog } from '@cadre/journal'
import { findAvailableAgents, requireTrustedHome, resolveWorkspace } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'

export interface ImportSessionFlags {
  readonly home?: string
  readonly workspace?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre sessions import`. The same log gives the same session, so importing it twice changes nothing. */
export async function importSession(io: Io, flags: ImportSessionFlags, file: string): Promise<ExitCode> {
  const source = path.resolve(io.cwd, file)
  const raw = contentOf(source)
  const read = readChatLog(raw)
  if (read.kind === 'other')
    throw new CadreError('usage', `this file is not a chat log: ${read.reason}.`, { where: source })
  const { log } = read
  const home = await requireTrustedHome(io, flags)
  const { registry } = await findAvailableAgents(io, flags)
  const agent = registry.get(log.agent)
  if (agent?.userInvocable === false)
    throw new CadreError('usage', `users cannot start ${agent.name}: its file sets user-invocable to false.`)
  const id = `${slugOf(log.agent)}-${createHash('sha256').update(raw, 'latin1').digest('hex').slice(0, 8)}`
  const made = createSessionFromChatLog({
    home,
    id,
    log,
    from: source,
    agent,
    targets: agent === undefined ? [] : namesOf(allowedTargets(agent, registry.list(), true), agent.name),
    workspace: resolveWorkspace(io, flags.workspace),
    now: new Date(systemClock.now()).toISOString(),
  })
  const { length } = log.entries
  const warnings = read.problems.map(({ line, message }) => `${source}:${line}: ${message}`)
  if (agent === undefined)
    warnings.push(
      `there is no agent ${JSON.stringify(log.agent)}, so the session uses the log's prompt and has no tools`,
    )
  if (flags.json) {
    const told = {
      session: id,
      agent: log.agent,
      entries: length,
      status: made,
      path: home.at('sessions', `${id}.session.yaml`),
      warnings,
    }
    io.stdout.write(`${JSON.stringify(told)}\n`)
    return exitCodes.done
  }
  for (const warning of warnings) io.stderr.write(`cadre: ${cleanLine(warning)}\n`)
  const entries = `${length} ${length === 1 ? 'entry' : 'entries'}`
  const what = made === 'placed' ? `Created session ${id} from ${entries}` : `Session ${id} already exists`
  io.stdout.write(`${what}. Resume it with "cadre resume ${id}${repeatedFlags(flags)}".\n`)
  return exitCodes.done
}

function contentOf(source: string): RawText {
  let raw: RawText | undefined
  try {
    raw = readPlainFile(source)
  } catch (error) {
    if (error instanceof CadreError) throw error
    throw new CadreError('usage', `cannot read the file: ${sentenceOf(error)}`, {
      where: source,
      cause: error,
    })
  }
  if (raw === undefined) throw new CadreError('not_found', 'file not found.', { where: source })
  return raw
}

/** Safe as a part of a file name. */
function slugOf(agent: string): string {
  const slug = agent
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return slug.replace(/^-+|-+$/g, '') || 'agent'
}

function namesOf(targets: readonly { readonly name: string }[], own: string): string[] {
  return targets.flatMap(({ name }) => (name === own ? [] : [name]))
}
