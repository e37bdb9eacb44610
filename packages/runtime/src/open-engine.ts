import { setTimeout as pause } from 'node:timers/promises'
import { CadreError, sentenceOf, type VoteChannel } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import {
  type Approvals,
  type ApprovalsOptions,
  type AskInTerminal,
  askEverywhere,
  createApprovals,
  followApprovals,
  planRule,
} from '@cadre/gate'
import { createTrust, type Home } from '@cadre/home'
import { createFileEngine, type FileEngine, type FileEngineOptions } from '@cadre/journal'
import { personName } from './person-name.ts'
import type { AskPerson } from './person-port.ts'
import { userPaths } from './user-paths.ts'

/** An engine, with the pending approvals in its home. */
export interface OpenedEngine extends FileEngine {
  readonly approvals: Approvals
}

export interface EngineOptions {
  /** Environment variables. They determine the name of the user and where the user's settings are. */
  readonly env: NodeJS.ProcessEnv
  /** Asks the user in the terminal. */
  readonly ask?: AskPerson | undefined
  /** How `ask` reaches the person. Default: the terminal. */
  readonly askedVia?: VoteChannel | undefined
  /** Set if `ask` rejects everything, because nobody is there. */
  readonly isUnattended?: boolean | undefined
  /** Called for decisions that people made in approval files. */
  readonly taken?: ApprovalsOptions['taken']
  /** Adds the tools, the prompt and the model of an agent to a session that a person started in an editor. */
  readonly adopt?: FileEngineOptions['adopt']
  /** Whether a failed write is retried until it succeeds. */
  readonly shouldRetry?: FileEngineOptions['shouldRetry']
}

/**
 * Opens the engine that stores sessions in the files in a home. Reports problems in these files immediately. Asks questions in the files
 * of the home, and in the terminal if there is one.
 */
export async function openEngine(
  home: Home,
  tell: (message: string) => void,
  { env, ask, askedVia, isUnattended, taken, adopt, shouldRetry }: EngineOptions,
): Promise<OpenedEngine> {
  const askHere: AskInTerminal | undefined =
    ask &&
    ((session, question, signal) =>
      ask(session, question, signal, (grants) =>
        planRule(home, grants, createTrust({ file: userPaths(env).trust })),
      ))
  const asking = { ask: askHere, via: askedVia, isUnattended, tell }
  try {
    const engine: FileEngine = await createFileEngine({
      home,
      clock: systemClock,
      diagnostics: ({ message }) => tell(message),
      ...(adopt && { adopt }),
      ...(shouldRetry && { shouldRetry }),
      answer: (session, question, signal) =>
        retryWhile(
          () => askEverywhere(approvals, { ...asking, session, question }, signal),
          shouldRetry,
          signal,
        ),
    })
    const user = personName(env)
    const approvals = createApprovals({
      home,
      engine,
      clock: systemClock,
      user,
      tell,
      ...(taken && { taken }),
    })
    return { ...followApprovals(engine, approvals, { home, tell }), approvals }
  } catch (error) {
    throw unusableHome(home, error)
  }
}

/** Retries writing a question to the forms, instead of ending the session that asks. */
async function retryWhile<T>(
  work: () => Promise<T>,
  shouldRetry: FileEngineOptions['shouldRetry'],
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !shouldRetry?.(error)) throw error
      await pause(250)
    }
  }
}

/** Turns a system error about the folder into a `CadreError`. Returns any other error unchanged. */
export function unusableHome(home: Home, error: unknown): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error
  if (!isSystemError) return error
  return new CadreError(
    'configuration',
    `cannot use the home directory: ${sentenceOf(error)} Choose another with --home or CADRE_HOME.`,
    {
      where: home.path,
      cause: error,
    },
  )
}
