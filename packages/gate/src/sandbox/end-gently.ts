import { type ProcessEntry, readProcesses } from './process-table.ts'

/** What has to end: a group of processes; and, where they are in a space of their own, the first process of that space. */
export interface Ending {
  readonly group: number
  readonly first?: number | undefined
  /** When it is over for certain. */
  readonly until: number
}

const pause = 20

/**
 * Asks the processes of a command to end, so that they can put away what they have begun: git its locks, an installer its
 * drafts. Answers when they are gone or the time is over, and has ended nothing by force. Nothing new is begun meanwhile: a
 * shell would go on with the next command, so what stands above the others is held until they are gone.
 */
export async function endGently({ group, first, until }: Ending): Promise<void> {
  const members = () => (first === undefined ? inGroup(group) : below(first))
  const tops = members().filter(({ pid, parent }) => (first === undefined ? pid === group : parent === first))
  const isTop = ({ pid }: ProcessEntry) => tops.some((top) => top.pid === pid)
  const others = () => members().filter((one) => !isTop(one))
  if (others().length > 0) {
    for (const { pid } of tops) send(pid, 'SIGSTOP')
    const asked = new Set<number>()
    await gone(() => {
      const left = others()
      for (const { pid } of left) if (!asked.has(pid)) send(pid, 'SIGTERM')
      for (const { pid } of left) asked.add(pid)
      return left.length === 0
    }, until)
  }
  for (const { pid } of tops) {
    send(pid, 'SIGTERM')
    send(pid, 'SIGCONT')
  }
  await gone(() => members().length === 0, until)
}

async function gone(isGone: () => boolean, until: number): Promise<void> {
  while (!isGone() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, pause))
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

function inGroup(group: number): ProcessEntry[] {
  return processes().filter((one) => one.group === group)
}

function below(first: number): ProcessEntry[] {
  const all = processes()
  const found: ProcessEntry[] = []
  const above = new Set([first])
  // Parents come before their children, or are found in the next round.
  for (let before = -1; before !== found.length; ) {
    before = found.length
    for (const one of all) {
      if (!above.has(one.parent) || above.has(one.pid)) continue
      above.add(one.pid)
      found.push(one)
    }
  }
  return found
}

/** All that run. What has ended and was not waited for is none. */
function processes(): ProcessEntry[] {
  return readProcesses().filter(({ isZombie }) => !isZombie)
}
