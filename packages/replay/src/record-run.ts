import { teamForAgent } from '@cadre/agents'
import { CadreError, isEndedStatus, type StoredSession } from '@cadre/core'
import { secretValues } from '@cadre/disk'
import { openGrants } from '@cadre/home'
import { type Environment, type Sessions, userPaths } from '@cadre/runtime'
import { createFixture } from './create-fixture.ts'
import type { Fixture } from './fixture.ts'

/** Records the run that a session belongs to. Rejects if the run has not ended. */
export async function recordRun(io: Environment, sessions: Sessions, id: string): Promise<Fixture> {
  const { root } = (await sessions.read(id)).spec
  requireEnded(await sessions.read(root), sessions)
  const all: StoredSession[] = []
  for await (const stored of sessions.tree(root)) all.push(stored)
  all.push(...(await plainSessions(sessions, root, all)))
  for (const stored of all) requireEnded(stored, sessions)
  const [entry] = all as [StoredSession]
  const user = userPaths(io.env)
  const team = teamForAgent(entry.spec.agent)
  const allow = openGrants(user.grants).of(sessions.home.path, root)?.allow
  return createFixture({
    sessions: all,
    places: { home: sessions.home.path, userHome: user.home },
    secrets: secretValues(io.env),
    started: {
      ...(team !== undefined && { team }),
      ...(allow && { allow: allow.filter((one) => one !== 'read') }),
    },
    recorded: new Date().toISOString(),
  })
}

/** If an entry agent cannot start, the plain model answers, in a session without a parent. */
async function plainSessions(
  sessions: Sessions,
  root: string,
  known: readonly StoredSession[],
): Promise<StoredSession[]> {
  if (known.some(({ entries }) => entries.some(({ role }) => role === 'assistant'))) return []
  const others = (await sessions.list()).filter(
    ({ agent, parent }) => agent === 'plain' && parent === undefined,
  )
  const stored = await Promise.all(others.map(({ id }) => sessions.read(id)))
  return stored.filter(({ spec }) => spec.root === root && spec.id !== root)
}

/** A process can own a run that has ended, such as a chat that is waiting for the next message. */
function requireEnded({ spec, status }: StoredSession, { owner, home }: Sessions): void {
  if (isEndedStatus(status)) return
  const running = owner(spec.root)
  const where = home.at('sessions', `${spec.id}.session.yaml`)
  if (running !== undefined)
    throw new CadreError(
      'owned',
      `session ${spec.id} is running in process ${running.pid}. Record it when it has ended, or stop it with "cadre sessions cancel ${spec.root}".`,
      { where },
    )
  throw new CadreError(
    'usage',
    `session ${spec.id} has not ended: it was interrupted, or is waiting for a decision. Resume it with "cadre resume ${spec.root}", then record it.`,
    { where },
  )
}
