import { CadreError, messageOf } from '@cadre/core'
import { createFileEngine, createTrust, type FileEngine, type Home, systemClock } from '@cadre/files'
import {
  type Approvals,
  type AskHere,
  askEverywhere,
  createApprovals,
  followApprovals,
  planRule,
} from '@cadre/gate'
import type { AskPerson } from '../run/ask-person.ts'
import { personName } from '../run/person-name.ts'
import { userPlaces } from './places.ts'

/** An engine, and what waits for a person in its home. */
export interface OpenedEngine extends FileEngine {
  readonly approvals: Approvals
}

/**
 * The engine on the files of a home. What it finds wrong with them is told at once. Questions are put before people in the
 * home's files, and at the keyboard where there is one.
 */
export async function openEngine(
  home: Home,
  tell: (message: string) => void,
  ask?: AskPerson,
): Promise<OpenedEngine> {
  const askHere: AskHere | undefined =
    ask &&
    ((session, question, signal) =>
      ask(session, question, signal, (grants) =>
        planRule(home, grants, createTrust({ file: userPlaces(process.env).trust })),
      ))
  try {
    const engine: FileEngine = await createFileEngine({
      home,
      clock: systemClock,
      diagnostics: ({ message }) => tell(message),
      answer: (session, question, signal) =>
        askEverywhere(approvals, { session, question, ask: askHere }, signal),
    })
    const user = personName(process.env)
    const approvals = createApprovals({ home, engine, clock: systemClock, user, tell })
    return { ...followApprovals(engine, approvals, { home, tell }), approvals }
  } catch (error) {
    throw unusableHome(home, error)
  }
}

/** What the system says about a folder is a sentence for a person, not a bug; anything else is given back as it is. */
export function unusableHome(home: Home, error: unknown): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error
  if (!isSystemError) return error
  return new CadreError(
    'configuration',
    `the home cannot be used: ${messageOf(error)}; name another with --home or CADRE_HOME`,
    {
      where: home.path,
      cause: error,
    },
  )
}
