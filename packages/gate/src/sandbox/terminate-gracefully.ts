import { sendSignal } from '../processes/send-signal.ts'
import { type ProcessEntry, readProcesses } from './process-table.ts'

/** A process group to end and, if it has its own pid namespace, the first process of that namespace. */
export interface Ending {
  readonly group: number
  readonly first?: number | undefined
  /** The deadline. */
  readonly until: number
}

const pause = 20

/**
 * Asks the processes of a command to end, so that they can clean up: git its locks, an installer its temporary files.
 * Resolves when they are gone or at the deadline, and kills nothing. Parents are stopped meanwhile, because a shell would
 * otherwise continue with its next command.
 */
export async function terminateGracefully({ group, first, until }: Ending): Promise<void> {
  const members = () => (first === undefined ? inGroup(group) : below(first))
  const tops = members().filter(({ pid, parent }) => (first === undefined ? pid === group : parent === first))
  const isTop = ({ pid }: ProcessEntry) => tops.some((top) => top.pid === pid)
  const others = () => members().filter((one) => !isTop(one))
  if (others().length > 0) {
    for (const { pid } of tops) sendSignal(pid, 'SIGSTOP')
    const asked = new Set<number>()
    await waitUntilGone(() => {
      const left = others()
      for (const { pid } of left) if (!asked.has(pid)) sendSignal(pid, 'SIGTERM')
      for (const { pid } of left) asked.add(pid)
      return left.length === 0
    }, until)
  }
  for (const { pid } of tops) {
    sendSignal(pid, 'SIGTERM')
    sendSignal(pid, 'SIGCONT')
  }
  await waitUntilGone(() => members().length === 0, until)
}

async function waitUntilGone(isGone: () => boolean, until: number): Promise<void> {
  while (!isGone() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, pause))
}

function inGroup(group: number): ProcessEntry[] {
  return processes().filter((one) => one.group === group)
}

function below(first: number): ProcessEntry[] {
  const all = processes()
  const found: ProcessEntry[] = []
  const above = new Set([first])
  // A child is found in the same pass as its parent, or in the next one.
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

/** Returns all running processes, without zombies. */
function processes(): ProcessEntry[] {
  return readProcesses().filter(({ isZombie }) => !isZombie)
}
