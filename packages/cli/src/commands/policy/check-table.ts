import { CadreError } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import type { Explainer } from './create-explainer.ts'
import { differences, type ExpectedCall } from './expected-call.ts'
import type { Explanation } from './explanation.ts'
import type { Table } from './read-table.ts'

/** A call about which something else was decided than expected. */
export interface Failure {
  readonly call: ExpectedCall
  readonly got: Explanation
  readonly differences: readonly string[]
}

export interface CheckedTable {
  readonly path: string
  readonly calls: number
  readonly failures: readonly Failure[]
  /** Calls that nothing can be said about: an agent that is not there. */
  readonly diagnostics: readonly Diagnostic[]
}

/** What of a call decides who explains it. */
export interface Speaker {
  readonly agent: ExpectedCall['agent'] | undefined
  readonly depth: ExpectedCall['depth'] | undefined
}

/** Has every call of a table judged, in order. What a run is made of is put together once for each agent and place. */
export async function checkTable(
  { path, calls }: Table,
  explainerFor: (speaker: Speaker) => Promise<Explainer>,
): Promise<CheckedTable> {
  const failures: Failure[] = []
  const diagnostics: Diagnostic[] = []
  const known = new Map<string, Explainer | CadreError>()
  for (const call of calls) {
    const { agent, depth, tool, input, expected, line } = call
    const key = JSON.stringify([agent, depth])
    const explainer = known.get(key) ?? (await explainerOrFault(() => explainerFor({ agent, depth })))
    known.set(key, explainer)
    if (explainer instanceof CadreError) {
      diagnostics.push({ path, line, severity: 'error', code: explainer.code, message: explainer.message })
      continue
    }
    const got = await explainer.explain(tool, input)
    const wrong = differences(expected, got)
    if (wrong.length > 0) failures.push({ call, got, differences: wrong })
  }
  return { path, calls: calls.length, failures, diagnostics }
}

/** An agent that is not there is a mistake of the table; a policy that cannot be read is one of everything. */
async function explainerOrFault(create: () => Promise<Explainer>): Promise<Explainer | CadreError> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof CadreError && (error.code === 'not_found' || error.code === 'usage')) return error
    throw error
  }
}
