import { appendFileSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { type Home, isDaemonRunning } from '@cadre/home'
import type { TaskItem } from '@cadre/tasks'
import type { DemoDecision } from './decide-demo.ts'
import { type DemoProgress, readProgress, taskFile } from './demo-progress.ts'

const demoQuestion = 'Is our Node.js new enough?'

/** One of the ten steps, once it has happened. */
export interface Step {
  readonly step: number
  readonly title: string
  /** The file that shows it, relative to the home. */
  readonly file: string
  readonly text?: string
}

export interface ScenarioOptions {
  readonly home: Home
  readonly show: (step: Step) => void
  /** Decides a pending approval; rejects to stop the demo. */
  readonly decide: (approval: string) => Promise<DemoDecision>
}

/** Runs from the message to its answer, or to a rejection. Follows the files in the home; rejects if it cannot continue. */
export async function runScenario(options: ScenarioOptions, signal: AbortSignal): Promise<void> {
  const { home, show } = options
  const signs = readProgress(home)
  const until = <T>(look: (signs: DemoProgress) => T | undefined) =>
    waitFor(() => look(signs), options, signal)
  const done = (id: string) => until(() => finished(signs.task(id)))

  const line = { id: 'demo-1', from: '@boss', user: 'boss', channel: '#ops', text: demoQuestion }
  home.folder('inbox')
  appendFileSync(home.at('inbox', 'slack-messages.jsonl'), `${JSON.stringify(line)}\n`)
  show({
    step: 1,
    title: 'A message arrives',
    file: 'inbox/slack-messages.jsonl',
    text: `@boss in #ops: ${demoQuestion}`,
  })

  await until(() => signs.task('node-judged'))
  show({ step: 2, title: 'planner-001 writes a plan as tasks', file: `tasks/${taskFile}` })

  const wanted = await done('node-wanted')
  show({
    step: 3,
    title: 'retriever-001 looks up the requirements',
    file: 'memory/system-config.md',
    text: resultOf(wanted),
  })

  const [command] = await until(() => firstOf(signs.pending()))
  const isRun = await approve(4, 'executor-001 asks for approval to run a command', command)

  if (!isRun) {
    const text = await until(() => signs.task('node-here')?.fields.get('error'))
    show({ step: 6, title: 'executor-001 does not run the command', file: `tasks/${taskFile}`, text })
    return open(7)
  }
  const here = await done('node-here')
  show({ step: 6, title: 'executor-001 runs the command', file: `tasks/${taskFile}`, text: resultOf(here) })

  const judged = await done('node-judged')
  show({
    step: 7,
    title: 'evaluator-001 checks the result',
    file: `tasks/${taskFile}`,
    text: lastLine(resultOf(judged)),
  })

  const [reply] = await until(() => firstOf(signs.pending().filter((id) => id !== command)))
  const second = await approve(8, 'planner-001 drafts the answer and asks for approval to send it', reply)
  if (!second) return open(10)

  const [sent] = await until(() => firstOf(signs.sent()))
  show({ step: 10, title: 'The answer is sent exactly once', file: 'outbox/slack.jsonl', text: sent.text })

  async function approve(step: number, title: string, id: string): Promise<boolean> {
    show({ step, title, file: `approvals/pending/${id}.approval.md` })
    const { action, kind, by } = await options.decide(id)
    const done = kind === 'approved' ? `Approved by ${by}` : `Rejected by ${by}`
    show({ step: step + 1, title: done, file: 'tasks/approvals.task.md', text: action })
    return kind === 'approved'
  }
  /** The planner continues after a person rejected the call. */
  async function open(step: number): Promise<void> {
    const { file, text } = await until(() => signs.lastWords('planner-001', 'The question stays open'))
    show({ step, title: 'planner-001 leaves the question open and sends nothing', file, text })
  }
}

function firstOf<T>(list: readonly T[]): [T] | undefined {
  const [first] = list
  return first === undefined ? undefined : [first]
}

function finished(task: TaskItem | undefined): TaskItem | undefined {
  if (task?.state === 'failed' || task?.state === 'skipped')
    throw new CadreError(
      'agent_execution',
      `task ${task.id} failed: ${task.fields.get('error') ?? task.state}`,
    )
  return task?.state === 'done' ? task : undefined
}

function resultOf(task: TaskItem): string {
  return task.fields.get('result') ?? ''
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}

const pollMs = 50

async function waitFor<T>(
  find: () => T | undefined,
  { home }: ScenarioOptions,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    const found = find()
    if (found !== undefined) return found
    if (!isDaemonRunning(home))
      throw new CadreError('agent_execution', 'the daemon has exited. See storage/daemon.log.', {
        where: home.path,
      })
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
