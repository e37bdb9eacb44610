/** The reason of a commit in a workspace. */
export interface CommitReason {
  /** `write_file docs/ports.md`. */
  readonly subject: string
  readonly session?: string | undefined
  readonly call?: string | undefined
  readonly agent?: string | undefined
  /** Set if it is unknown whether the call completed. */
  readonly inDoubt?: boolean | undefined
  /** Commits that this one undoes. */
  readonly undoes?: readonly string[] | undefined
  readonly body?: string | undefined
}

const maxLength = 72

export function commitMessage(occasion: CommitReason): string {
  const { session, call, agent, inDoubt, undoes = [], body } = occasion
  const subject = oneLine(occasion.subject)
  const cut = subject.length > maxLength ? `${subject.slice(0, maxLength - 1)}…` : subject
  const trailers = [
    session && `Session: ${oneLine(session)}`,
    call && `Call: ${oneLine(call)}`,
    agent && `Agent: ${oneLine(agent)}`,
    inDoubt && 'In-Doubt: yes',
    ...undoes.map((commit) => `Undoes: ${commit}`),
  ].filter((line) => line)
  return `${cut || 'Changes'}\n\n${body === undefined ? '' : `${body}\n\n`}${trailers.join('\n')}\n`
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}
