import { existsSync } from 'node:fs'
import type { Answer, Question, Run } from '@cadre/core'
import { messageOf } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import type { Approvals } from './create-approvals.ts'
import { requirePerson } from './require-person.ts'

/**
 * The same engine, with the forms kept in line: before a session is opened, what an earlier process left undone is put right;
 * when a question is answered, however it was, the forms say so before anything is done about it.
 */
export function followApprovals(
  engine: FileEngine,
  approvals: Approvals,
  { home, tell }: { readonly home: Home; readonly tell: (message: string) => void },
): FileEngine {
  let begun: Promise<void> | undefined
  const trees = new Set<string>()
  // The journal has it: a form that is not up to date is put right the next time.
  const attempt = (work: Promise<void>) =>
    work.catch((error) => tell(`cannot update the approval forms: ${messageOf(error)}`))
  return {
    ...engine,
    async open(spec) {
      // What a session goes on with was written by somebody; what begins now was not.
      if (!trees.has(spec.root) && existsSync(home.at('sessions', `${spec.id}.session.yaml`)))
        requirePerson(home)
      trees.add(spec.root)
      begun ??= attempt(approvals.reconcile())
      await begun
      return followed(await engine.open(spec), (question) => attempt(approvals.settle(spec.id, question)))
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

function followed(run: Run, settle: (question: string) => Promise<void>): Run {
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

/** Asks whoever is at the keyboard; nothing back when they leave it open. */
export type AskHere = (
  session: string,
  question: Question,
  signal: AbortSignal,
) => Promise<Answer | undefined>

/**
 * How the engine asks: in the forms, and at the keyboard if somebody is there; whoever is first. Without a keyboard only what
 * is decided already counts, and the session goes to sleep otherwise.
 */
export async function askEverywhere(
  approvals: Approvals,
  { session, question, ask }: { session: string; question: Question; ask?: AskHere | undefined },
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
