import { existsSync } from 'node:fs'
import type { Answer, Question, Run } from '@cadre/core'
import { messageOf } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import type { Approvals } from './create-approvals.ts'
import { requirePerson } from './require-person.ts'

/**
 * Wraps an engine to keep the forms up to date. Before a session is opened, it finishes what an earlier process left
 * undone. When a question is answered in any way, it updates the forms before the answer takes effect.
 */
export function followApprovals(
  engine: FileEngine,
  approvals: Approvals,
  { home, tell }: { readonly home: Home; readonly tell: (message: string) => void },
): FileEngine {
  let begun: Promise<void> | undefined
  const trees = new Set<string>()
  // The journal has the answer, so an outdated form can be updated later.
  const attempt = (work: Promise<void>) =>
    work.catch((error) => tell(`cannot update the approval forms: ${messageOf(error)}`))
  return {
    ...engine,
    async open(spec) {
      // Only an existing session can have forms from an earlier process.
      if (!trees.has(spec.root) && existsSync(home.at('sessions', `${spec.id}.session.yaml`)))
        requirePerson(home)
      trees.add(spec.root)
      begun ??= attempt(approvals.reconcile())
      await begun
      return followRun(await engine.open(spec), (question) => attempt(approvals.settle(spec.id, question)))
    },
    async answer(session, name, answer) {
      requirePerson(home)
      const counted = await engine.answer(session, name, answer)
      await attempt(approvals.settle(session, name))
      return counted
    },
    async close() {
      await attempt(approvals.catchUp())
      await engine.close()
    },
  }
}

function followRun(run: Run, settle: (question: string) => Promise<void>): Run {
  return {
    recorded: run.recorded,
    lost: run.lost,
    get alone() {
      return run.alone
    },
    step: (name, work, options) => run.step(name, work, options),
    spawn: (spec) => run.spawn(spec),
    async waitFor(question, signal) {
      const answer = await run.waitFor(question, signal)
      await settle(question.name)
      return answer
    },
    changes: () => run.changes(),
    end: (end) => run.end(end),
  }
}

/** Asks the person at the terminal. Resolves with undefined if they decide later. */
export type AskAtTerminal = (
  session: string,
  question: Question,
  signal: AbortSignal,
) => Promise<Answer | undefined>

/**
 * Asks a question in the forms and, if a person is present, at the terminal; the first decision applies. Without a
 * terminal, only an existing decision counts; otherwise the session is suspended.
 */
export async function askEverywhere(
  approvals: Approvals,
  { session, question, ask }: { session: string; question: Question; ask?: AskAtTerminal | undefined },
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const record = await approvals.publish(session, question)
  const decided = record && approvals.decisionFor(record)
  if (decided !== undefined || ask === undefined) return decided
  if (record === undefined) return ask(session, question, signal)
  const end = new AbortController()
  const both = AbortSignal.any([signal, end.signal])
  try {
    const written = approvals.watch(record, both).then((answer) => answer ?? new Promise<never>(() => {}))
    return await Promise.race([written, ask(session, question, both)])
  } finally {
    end.abort()
  }
}
