/**
 * The scenario from a message to its answer, with only files and the command: what a person with a text editor and a
 * terminal could do. Used by the plain test and by the one that kills the daemon.
 */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createProject, type Project } from '../cli/support/project.ts'

const command = `node -e "require('node:fs').appendFileSync('runs.txt', 'x'); console.log(process.version)"`

const playbook = {
  lanes: {
    'planner-001': [
      {
        expect: { work: 'Is Redis running' },
        calls: [
          {
            tool: 'create_task',
            input: {
              file: 'tasks/redis-check.task.md',
              content: [
                '- [ ] B @retriever-001 #system "Detect the runtime"',
                '  id: task-002',
                '- [ ] A @executor-001 #docker "Check the status"',
                '  id: task-003',
                '  depends_on: task-002',
                '  approval_required: true',
                '- [ ] A @evaluator-001 "Validate the result"',
                '  id: task-004',
                '  depends_on: task-003',
              ].join('\n'),
            },
          },
        ],
      },
      { reply: 'It is planned.' },
      {
        expect: { last: 'accepted' },
        calls: [{ tool: 'slack_send', input: { channel: '#ops', text: 'It is running.' } }],
      },
      { reply: 'It is answered.' },
    ],
    'retriever-001': [
      { calls: [{ tool: 'read_file', input: { path: 'memory/system-config.md' } }] },
      { expect: { last: 'a container' }, reply: 'It runs in a container (memory/system-config.md:1).' },
    ],
    'executor-001': [
      { calls: [{ tool: 'execute_command', input: { command } }] },
      { reply: 'The command was run, and said that it is running.' },
    ],
    'evaluator-001': [
      { reply: '## Checked\n\n- the output of the command\n\n## Verdict\n\naccepted: it is running.' },
    ],
  },
}

export interface Scenario {
  readonly project: Project
  /** Starts the daemon; resolves when it is ready. */
  up(): Promise<number>
  down(): Promise<void>
  /** Adds an incoming message, as a line in a file. */
  send(): void
  /** Decides pending approvals by editing files, and answers for calls in doubt. Resolves with true if there was any. */
  decide(): Promise<boolean>
  /** True if the answer was sent, and every task has ended. */
  isOver(): boolean
  /** The final content of the home, without what differs each time. */
  outcome(): object
}

export interface ScenarioOptions {
  /** More arguments and variables for `cadre up`. */
  readonly up?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export async function openScenario({ up = [], env = {} }: ScenarioOptions = {}): Promise<Scenario> {
  const project = createProject({
    'playbook.yaml': playbook,
    '.cadre/memory/system-config.md': 'Redis runs in a container.\n',
  })
  const at = (file: string) => path.join('.cadre', file)
  const run = async (...args: string[]) => {
    const ended = await project.cadre(args, { env })
    if (ended.code !== 0)
      throw new Error(`cadre ${args.join(' ')}: ${ended.code}\n${ended.stdout}\n${ended.stderr}`)
    return ended
  }
  await run('init', '--team', 'operators')
  project.write(at('inbox/routes.yaml'), { routes: [{ from: 'slack-messages', to: 'planner-001' }] })
  const lines = (file: string) =>
    project.exists(at(file))
      ? project
          .read(at(file))
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : []
  const tasks = () =>
    project.exists(at('tasks/redis-check.task.md')) ? project.read(at('tasks/redis-check.task.md')) : ''
  const isAsked = () =>
    project.exists(at('tasks/approvals.task.md')) &&
    /^- \[_\]/m.test(project.read(at('tasks/approvals.task.md')))
  const edit = (file: string, change: (text: string) => string) =>
    project.write(file, change(project.read(file)))
  return {
    project,
    async up() {
      await run('up', '--detach', '--trust', '--model', 'scripted:playbook.yaml', ...up)
      const [status] = (await run('status', '--json')).json()
      return Number(status?.['pid'])
    },
    async down() {
      await run('down')
    },
    send() {
      const line = { id: 'Ev01', user: 'boss', from: '@boss', channel: '#ops', text: 'Is Redis running?' }
      project.write(at('inbox/slack-messages.jsonl'), `${JSON.stringify(line)}\n`)
    },
    async decide() {
      // Reading files is cheap; each command is a process.
      if (!isAsked()) {
        await delay(20)
        return false
      }
      const { stdout } = await project.cadre(['approvals', '--json'])
      const waiting = JSON.parse(stdout || '[]') as { id: string; type: string }[]
      for (const { id, type } of waiting) {
        if (type === 'in_doubt') {
          // A person checks whether it took effect.
          await project.cadre(['approve', id, ...(runs(project) > 0 ? ['--done'] : [])])
        } else if (type === 'slack_send') {
          const form = at(`approvals/pending/${id}.approval.md`)
          if (project.exists(form)) edit(form, (text) => text.replace(/(\*\*Decision:\*\*).*/, '$1 APPROVED'))
        } else {
          edit(at('tasks/approvals.task.md'), (text) => approveLine(text, id))
        }
      }
      return waiting.length > 0
    },
    isOver() {
      const ended = [...tasks().matchAll(/^- \[([ _x~-])\]/gm)].map(([, marker]) => marker)
      return (
        ended.length === 3 &&
        ended.every((marker) => marker === 'x' || marker === '-') &&
        lines('outbox/slack.jsonl').some(({ state }) => state === 'sent') &&
        sessionStatus(project, 'planner-001').every((status) => status === 'completed')
      )
    },
    outcome: () => ({
      runs: runs(project),
      workspaces: existsSync(project.at(at('workspaces'))) ? readdirSync(project.at(at('workspaces'))) : [],
      tasks: plain(tasks()),
      inbox: lines('inbox/slack-messages.jsonl').map(({ direction, text }) => [direction ?? 'in', text]),
      sent: lines('outbox/slack.jsonl').filter(({ state }) => state === 'sent').length,
      // A kill during a call also leaves a question about that call.
      approvals: [...project.read(at('tasks/approvals.task.md')).matchAll(/^- \[(.)\].*`(.*)`/gm)]
        .map(([, marker, title]) => [marker, title])
        .filter(([, title]) => !title?.startsWith('Approve another run')),
      sessions: Object.fromEntries(
        project.sessions().map((id) => [plain(id), saidIn(project.read(at(`sessions/${id}.session.yaml`)))]),
      ),
    }),
  }
}

/** Changes `[_]` to `[x]` on the line of this approval, as a person would. */
function approveLine(text: string, id: string): string {
  const lines = text.split('\n')
  const field = lines.findIndex((line) => line.trim() === `id: ${id}`)
  const task = lines.findLastIndex((line, index) => index < field && /^- \[_\]/.test(line))
  return lines.map((line, index) => (index === task ? line.replace('[_]', '[x]') : line)).join('\n')
}

/** How often the command left its mark. */
function runs(project: Project): number {
  return project.exists('runs.txt') ? project.read('runs.txt').length : 0
}

function sessionStatus(project: Project, agent: string): string[] {
  return (
    project
      .sessions()
      // A file that is being written has a longer name.
      .filter((id) => id.startsWith(agent) && !id.includes('.'))
      .map((id) => /^status: (\w+)/m.exec(project.read(`.cadre/sessions/${id}.session.yaml`))?.[1] ?? 'none')
  )
}

/** The messages in order, without the journal's own events. */
function saidIn(session: string): string[] {
  return [...session.matchAll(/^ {4}role: (user|assistant|tool_result)$/gm)].map(([, role]) => role ?? '')
}

/** Times and values derived from them differ each time. */
function plain(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/approval-\d+-[0-9a-f]{8}/g, 'APPROVAL')
}
