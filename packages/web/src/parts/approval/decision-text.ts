import type { Approval, DecisionResult } from '@cadre/api'
import { plural } from '../format.ts'
import { withHome } from '../home-flag.ts'
import { commandLine } from '../shell-word.ts'
import { missingAfterOne } from './approval-count.ts'

const words: Readonly<Record<string, string>> = {
  approve: 'Approved',
  'approve-session': 'Approved for this session',
  reject: 'Rejected',
}

/** The message after a decision. Without a daemon, the run does not continue automatically. */
export function decisionText(
  approval: Pick<Approval, 'root' | 'needed' | 'votes'>,
  { decided, decision, recorded }: Pick<DecisionResult, 'decided' | 'decision' | 'recorded'>,
  hasDaemon: boolean,
): string {
  if (!decided) return `Recorded your vote. ${plural(missingAfterOne(approval), 'more approval')} needed.`
  // If the decision is not in the journal yet, the process that runs the session will read it and continue.
  if (hasDaemon || !recorded) return `${words[decision] ?? `Recorded: ${decision}`}.`
  return `Recorded. To continue the run, use: ${withHome(commandLine('cadre', 'resume', approval.root))}`
}
