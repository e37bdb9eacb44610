import type { StoredSession } from '../ports/engine.ts'
import { CadreError } from '../ports/errors.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import { workOf } from '../ports/session-spec.ts'
import { foldEntries } from '../session/state.ts'
import { isolateExistingSession } from './isolate.ts'
import type { ResumeOptions, RunResult } from './orchestrator-contract.ts'
import type { OwnedRun } from './run-registry.ts'
import type { RunTree } from './run-tree.ts'
import { isUnfinished, sessionToResume } from './session-to-resume.ts'

interface StoredRun {
  /** The run of the tree, which the caller owns. */
  readonly owned: OwnedRun
  readonly stored: StoredSession
  readonly options: ResumeOptions
}

interface ContinueParts {
  readonly ports: Ports
  readonly limits: RunLimits
  readonly run: RunTree
}

/** Resumes a stored session, or the unfinished run that it belongs to. */
export async function continueRun(
  { owned, stored, options }: StoredRun,
  { ports, limits, run }: ContinueParts,
  signal: AbortSignal,
): Promise<RunResult> {
  const { work, openCalls, model, delegation, limits: changed, maxRounds } = options
  const { id, root: rootId } = stored.spec
  const root = rootId === id ? stored : await ports.engine.read(rootId)
  const isBelow = stored.spec.parent !== undefined
  const target = work === undefined && isBelow ? await sessionToResume(stored, root, ports.engine) : stored
  owned.session = target.spec.id
  const hasMoreRounds = maxRounds !== undefined && reachedRoundLimit(target)
  const goesOn = work !== undefined || isUnfinished(target) || hasMoreRounds
  const spec = {
    ...(goesOn ? await isolateExistingSession(ports, target.spec, signal) : target.spec),
    ...(model !== undefined && { model: await knownModel(model, ports) }),
    ...(delegation === false && { delegation, targets: [] }),
  }
  if (work !== undefined) owned.updates = { work: workOf(work), leavesCalls: openCalls === 'leave' }
  owned.continues = goesOn
  const anew = { ...limits, ...root?.spec.limits.run, ...changed, ...(maxRounds && { maxRounds }) }
  const isAsStarted =
    changed === undefined && maxRounds === undefined && (root === undefined || target === root)
  if (isAsStarted) return run(spec, signal)
  const own = { ...spec.limits, ...(maxRounds && { maxRounds }), run: anew }
  return run({ ...spec, limits: own }, signal)
}

/** The session ended because it reached its limit on rounds, so that a higher limit continues it. */
function reachedRoundLimit({ entries, spec }: StoredSession): boolean {
  const { ended } = foldEntries(entries, spec.id)
  return ended?.status === 'incomplete' && ended.notices?.at(-1)?.code === 'max_rounds'
}

async function knownModel(name: string, ports: Ports): Promise<string> {
  const found = await ports.models.resolve(name)
  if (found.kind === 'found') return found.model.id
  throw new CadreError(found.code ?? 'unknown_model', found.reason)
}
