import { CadreError } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import type { Explainer, Explanation } from '@cadre/runtime'
import { type ExpectedCall, mismatches } from './expected-call.ts'
import type { PolicyTable } from './read-table.ts'

/** A call with another decision than expected. */
export interface Failure {
  readonly call: ExpectedCall
  readonly got: Explanation
  readonly differences: readonly string[]
}

export interface CheckedTable {
  readonly path: string
  readonly calls: number
  readonly failures: readonly Failure[]
  /** Calls that cannot be judged, because an agent does not exist. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The agent and place of a call, which determine its explainer. */
export interface CallerPlace {
  readonly agent: ExpectedCall['agent'] | undefined
  readonly depth: ExpectedCall['depth'] | undefined
}

/** Judges every call of a table, in order. The parts of a run are created once per agent and place. */
export async function checkTable(
  { path, calls }: PolicyTable,
  explainerFor: (speaker: CallerPlace) => Promise<Explainer>,
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
    const wrong = mismatches(expected, got)
    if (wrong.length > 0) failures.push({ call, got, differences: wrong })
  }
  return { path, calls: calls.length, failures, diagnostics }
}

/** A missing agent is an error in the table; an invalid policy is a general error. */
async function explainerOrFault(create: () => Promise<Explainer>): Promise<Explainer | CadreError> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof CadreError && (error.code === 'not_found' || error.code === 'usage')) return error
    throw error
  }
}
