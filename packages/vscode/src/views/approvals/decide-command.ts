import * as vscode from 'vscode'
import { plainMessage } from '../../plain-message.ts'
import type { Services } from '../../services.ts'
import { isInterruptedCallQuestion } from '../targets.ts'
import { type ApprovalItem, noLongerPending, type QuestionTarget } from './approval-item.ts'
import type { Decision } from './read-approvals.ts'

const decisionMessages: Readonly<Record<string, string>> = {
  approve: 'Approved',
  'approve-session': 'Approved for this session',
  reject: 'Rejected',
  again: 'The call runs again',
  done: 'Recorded as carried out',
  leave: 'Not run again',
}

/** Shows the whole action first if the item does not show it, or if the risk is high. */
export async function approve(
  services: Services,
  target: QuestionTarget,
  item?: ApprovalItem,
): Promise<void> {
  if (isInterruptedCallQuestion(target)) return answerInterruptedCall(services, target)
  if (item !== undefined && (!item.isWhole || item.risk === 'HIGH')) return approveAfterReview(services, item)
  await decideWith(services, target, { decision: 'approve' })
}

export async function approveAfterReview(
  services: Services,
  item: ApprovalItem,
  decision: 'approve' | 'approve-session' = 'approve',
): Promise<void> {
  if (item.isDoubt) return answerInterruptedCall(services, item)
  const isForSession = decision === 'approve-session'
  const agree = isForSession ? 'Approve for This Session' : 'Approve'
  const reject = 'Reject…'
  // Before the action, which may be too long for a dialog.
  const permits = isForSession
    ? `For the rest of the session, this permits: ${item.grants.join(' · ')}\n\n`
    : ''
  const choice = await vscode.window.showWarningMessage(
    plainMessage(`${item.agent} asks for your approval`),
    { modal: true, detail: truncate(`${permits}${item.text}`) },
    agree,
    reject,
  )
  if (choice === agree) await decideWith(services, item, { decision })
  if (choice === reject) await rejectWithReason(services, item)
}

const maxDetailLength = 2_000

/** A dialog has no scroll bar; it states what is cut, which can be opened in an editor. */
function truncate(text: string): string {
  if (text.length <= maxDetailLength) return text
  return `${text.slice(0, maxDetailLength)}\n… (${text.length - maxDetailLength} more characters: cancel, and choose "Show Whole Action")`
}

/**
 * An item shows neither the whole action nor what else would be permitted, so both are shown first. The chat shows them
 * next to its button.
 */
export async function approveForSession(
  services: Services,
  target: QuestionTarget,
  item?: ApprovalItem,
): Promise<void> {
  if (isInterruptedCallQuestion(target)) return answerInterruptedCall(services, target)
  if (item !== undefined) return approveAfterReview(services, item, 'approve-session')
  await decideWith(services, target, { decision: 'approve-session' })
}

export async function rejectWithReason(services: Services, target: QuestionTarget): Promise<void> {
  const isDoubt = isInterruptedCallQuestion(target)
  const reason = await vscode.window.showInputBox({
    title: isDoubt ? 'Do not run it again' : 'Reject',
    prompt: 'Reason for the agent (optional)',
    placeHolder: 'Use the staging server.',
    ignoreFocusOut: true,
  })
  if (reason === undefined) return
  const decision = isDoubt ? 'leave' : 'reject'
  await decideWith(services, target, { decision, ...(reason.trim() && { reason: reason.trim() }) })
}

/** An interrupted call may have taken effect; only a person can find out. */
export async function answerInterruptedCall(services: Services, target: QuestionTarget): Promise<void> {
  const choices = [
    { label: 'It was not carried out', description: 'Run it again', decision: 'again' },
    { label: 'It was carried out', description: 'Continue without running it again', decision: 'done' },
    { label: 'I do not know', description: 'Do not run it again; the agent has to check', decision: 'leave' },
  ]
  const choice = await vscode.window.showQuickPick(choices, {
    title: 'The call was interrupted. What happened?',
    ignoreFocusOut: true,
  })
  if (choice !== undefined) await decideWith(services, target, { decision: choice.decision })
}

async function decideWith(
  services: Services,
  target: QuestionTarget,
  answer: { readonly decision: string; readonly reason?: string },
): Promise<void> {
  const word = decisionMessages[answer.decision] ?? 'Decided'
  if (await answerInWindow(services, target, answer)) {
    vscode.window.setStatusBarMessage(`$(check) ${word}`, 4_000)
    return
  }
  const result = await decideInHomes(services, target, answer)
  if (result.kind === 'missing') throw new Error(noLongerPending)
  if (result.kind === 'refused') {
    void vscode.window.showWarningMessage(plainMessage(`${result.reason}.`))
    return
  }
  if (result.kind === 'voted') {
    void vscode.window.showInformationMessage(plainMessage(result.count))
    return
  }
  await showNextStep(word, result)
}

async function answerInWindow(
  { runs }: Services,
  { session, question }: QuestionTarget,
  answer: { readonly decision: string; readonly reason?: string },
): Promise<boolean> {
  const { personName } = await import('@cadre/runtime')
  const by = personName(process.env)
  return runs.answer(session, question, { ...answer, ...(by && { by }) })
}

async function decideInHomes(
  { homes }: Services,
  target: QuestionTarget,
  answer: { readonly decision: string; readonly reason?: string },
): Promise<Decision> {
  const { decide } = await import('./read-approvals.ts')
  const found = await homes.find(async (sessions) => {
    const result = await decide(sessions, target, answer)
    return result.kind === 'missing' ? undefined : result
  })
  return found ?? { kind: 'missing' }
}

async function showNextStep(
  word: string,
  { root, resumes }: Extract<Decision, { kind: 'decided' }>,
): Promise<void> {
  if (resumes === 'process') {
    void vscode.window.showInformationMessage(`${word}. The session continues in the process that runs it.`)
    return
  }
  if (resumes === 'daemon') {
    void vscode.window.showInformationMessage(`${word}. The daemon continues the session.`)
    return
  }
  const resume = 'Resume in Chat'
  void vscode.window
    .showInformationMessage(`${word}. The session continues when it is resumed.`, resume)
    .then((choice) => {
      if (choice === resume)
        void vscode.commands.executeCommand('copilotMultiAgent.resumeSession', { session: root })
    })
}
