/**
 * Replaces every file and folder of a home, one at a time, while the daemon runs: it continues with everything else,
 * reports the problem, and clears it when it is fixed.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { inDeep, share } from '../support/amount.ts'

type Kind = 'garbage' | 'empty' | 'folder' | 'pipe' | 'loop' | 'unreadable' | 'gone'

const kinds: Readonly<Record<Kind, (place: string) => void>> = {
  garbage: (place) => writeFileSync(place, Buffer.from([0xff, 0xfe, 0, 1, 0x7b, 0x7b, 10, 0x3a, 0x2d, 0x5b])),
  empty: (place) => writeFileSync(place, ''),
  folder: (place) => mkdirSync(place),
  pipe: (place) => execFileSync('mkfifo', [place]),
  loop: (place) => symlinkSync(path.basename(place), place),
  unreadable(place) {
    writeFileSync(place, 'x')
    chmodSync(place, 0)
  },
  gone: () => {},
}

/** The daemon may rewrite the file at any moment: then that is replaced too. */
function insteadOf(place: string, put: () => void): void {
  for (;;) {
    rmSync(place, { recursive: true, force: true })
    try {
      put()
      return
    } catch (error) {
      if (lstatSync(place, { throwIfNoEntry: false }) === undefined) throw error
    }
  }
}

const unusualKinds = ['folder', 'pipe', 'loop'] as const

/** The replacements that must be reported. A missing file usually is not. */
const files: Readonly<Record<string, readonly Kind[]>> = {
  'config.yaml': ['garbage', ...unusualKinds],
  // A folder may contain agents, whatever its name; a pipe is ignored.
  'templates/planner-001.agent.yaml': ['garbage', 'empty', 'loop'],
  'sessions/SESSION': ['garbage', ...unusualKinds],
  'tasks/a.task.md': ['garbage', ...unusualKinds],
  'tasks/approvals.task.md': [...unusualKinds],
  'approvals/pending/x.approval.md': [],
  'inbox/routes.yaml': ['garbage', ...unusualKinds],
  'inbox/slack-messages.jsonl': ['garbage', ...unusualKinds],
  'mailboxes/planner-001.jsonl': [...unusualKinds],
  'mailboxes/planner-001.receipts.jsonl': [],
  'memory/x.md': [],
  'agents/old.agent.md': ['garbage', 'empty', ...unusualKinds],
  'storage/policy.yaml': ['garbage', ...unusualKinds],
  'storage/planner-checkin.yaml': ['garbage', 'empty', ...unusualKinds],
  'storage/cursors/agents.json': [],
  'storage/cursors/task-told.json': [],
  'storage/cursors/task-claims.json': [],
  'storage/cursors/inbox/slack-messages.jsonl': [],
  'storage/daemon.json': [],
}
const folders = [
  'sessions',
  'inbox',
  'mailboxes',
  'templates',
  'approvals',
  'agents',
  'storage/cursors',
  'memory',
]

/** The problems that the daemon has reported and cleared. */
class ReportedProblems {
  readonly found: string[] = []
  readonly open = new Set<string>()
  private readonly text: () => string
  private at = 0

  constructor(text: () => string) {
    this.text = text
  }

  read(): this {
    const text = this.text()
    for (let end = text.indexOf('\n', this.at); end >= 0; end = text.indexOf('\n', this.at)) {
      const { type, message } = JSON.parse(text.slice(this.at, end)) as { type: string; message: string }
      this.at = end + 1
      if (type === 'problem.found') {
        this.found.push(message)
        this.open.add(message)
      } else if (type === 'problem.mended') this.open.delete(message.replace(/^Fixed: /, ''))
    }
    return this
  }
}

inDeep(
  'a daemon continues whatever file is broken, reports it, and clears the report when it is fixed',
  {
    timeout: 600_000,
  },
  async () => {
    const project = createProject({
      'playbook.yaml': { lanes: { 'planner-001': [{ reply: 'ok' }] } },
      '.cadre/inbox/slack-messages.jsonl': '{"id":"1","user":"a","text":"hi"}\n',
      '.cadre/mailboxes/planner-001.jsonl': '{"id":"m1","text":"hello"}\n',
      '.cadre/tasks/a.task.md': '- [ ] @planner-001 "Do"\n  id: t1\n',
      '.cadre/tasks/approvals.task.md': '# Approvals\n',
      '.cadre/approvals/pending/x.approval.md': '# Nothing\n',
      '.cadre/memory/x.md': 'hello\n',
      '.cadre/agents/old.agent.md': '# Agent: planner-001\n\n## Conversation\n',
      '.cadre/config.yaml': 'daemon: {settle_ms: 5}\n',
      '.cadre/storage/policy.yaml': 'paths:\n  deny:\n    read: [secret.txt]\n',
      '.cadre/storage/planner-checkin.yaml': 'interval_seconds: 86400\n',
    })
    await project.cadre(['init', '--team', 'operators'])
    project.write('.cadre/inbox/routes.yaml', 'routes:\n  - {from: slack-messages, to: planner-001}\n')
    const daemon = project.start(['up', '--trust', '--json', '--model', 'scripted:playbook.yaml'])
    await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
    await until(() => project.sessions().length === 3)
    const session = `${project.sessions()[0]}.session.yaml`
    const all = [
      ...Object.entries(files).flatMap(([file, said]) =>
        (Object.keys(kinds) as Kind[]).map((kind) => [file.replace('SESSION', session), kind, said] as const),
      ),
      ...folders.flatMap((file) =>
        (['empty', 'pipe', 'loop', 'gone'] as const).map((kind) => [file, kind, []] as const),
      ),
    ]
    // A prime number, so that every file and every kind is in the sample.
    const rows = share(all, 5)
    const told = new ReportedProblems(() => daemon.stdout())
    const wrong: string[] = []
    let probes = 0
    /** Another change that it must notice. */
    const goesOn = async () => {
      const name = `probe-${++probes}.task.md`
      project.write(`.cadre/tasks/${name}`, '- [?] "Odd"\n')
      const isSeen = await waitUntil(() => told.read().found.some((message) => message.includes(name)))
      rmSync(project.at('.cadre/tasks', name), { force: true })
      return isSeen
    }
    for (const [file, kind, said] of rows) {
      const place = project.at('.cadre', file)
      const kept = `${place}.kept~`
      const row = `${file} ${kind}`
      const before = told.read().found.length
      renameSync(place, kept)
      insteadOf(place, () => kinds[kind](place))
      if (!(await goesOn())) {
        wrong.push(`${row}: it does not go on`)
        break
      }
      const isSaid = () =>
        told
          .read()
          .found.slice(before)
          .some((message) => message.includes(file))
      if (said.includes(kind) && !(await waitUntil(isSaid))) wrong.push(`${row}: it says nothing`)
      insteadOf(place, () => renameSync(kept, place))
      if (!(await waitUntil(() => told.read().open.size === 0))) {
        wrong.push(`${row}: ${[...told.open].join(' | ')}`)
        break
      }
    }
    expect(wrong).toEqual([])
    expect(daemon.child.exitCode).toBeNull()
    // None of this started anything again.
    expect(project.sessions()).toHaveLength(3)
    expect((await project.cadre(['down'])).code).toBe(0)
  },
)

async function waitUntil(isSo: () => boolean): Promise<boolean> {
  const end = Date.now() + 60_000
  for (;;) {
    if (isSo()) return true
    if (Date.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function until(isSo: () => boolean): Promise<void> {
  if (!(await waitUntil(isSo))) throw new Error(`it did not come true: ${isSo}`)
}

test('a daemon starts even if its own files are replaced by something else', async () => {
  const project = createProject({
    'playbook.yaml': { lanes: { 'planner-001': [{ reply: 'ok' }] } },
    '.cadre/tasks/a.task.md': '- [ ] @planner-001 "Do"\n  id: t1\n',
    '.cadre/inbox/slack-messages.jsonl': '{"id":"1","text":"hi"}\n',
    '.cadre/mailboxes/planner-001.jsonl': '{"id":"m1","text":"hello"}\n',
    '.cadre/storage/requests/queued/1.json': '{"kind": "start"}',
    '.cadre/storage/requests/queued/2.json': '{"kind": "tell", "session": 7}',
    '.cadre/storage/requests/queued/3.json': 'null',
    '.cadre/storage/requests/queued/4.json':
      '{"kind": "start", "request": {"id": "../x", "agent": "planner-001", "work": {"content": "x"}}}',
  })
  await project.cadre(['init', '--team', 'operators'])
  const places = [
    'storage/cursors/task-claims.json',
    'storage/cursors/task-told.json',
    'storage/cursors/agents.json',
    'storage/cursors/inbox/slack-messages.jsonl',
    'storage/cursors/mailboxes/planner-001.jsonl',
    'storage/requests/queued/5.json',
    'storage/requests/daemon.stop',
    'storage/leases/planner-001-t1.lease',
    'storage/planner-checkin.yaml',
    'storage/daemon.json',
    'mailboxes/planner-001.receipts.jsonl',
    'sessions/odd.session.yaml',
    'tasks/odd.task.md',
    'agents/odd.agent.md',
    'approvals/pending/odd.approval.md',
  ].map((file) => project.at('.cadre', file))
  for (const place of places) {
    mkdirSync(path.dirname(place), { recursive: true })
    kinds.pipe(place)
  }
  const daemon = project.start(['up', '--trust', '--json', '--model', 'scripted:playbook.yaml'])
  await until(() => daemon.stdout().includes('task.started') && daemon.stdout().includes('tasks/odd.task.md'))
  expect(daemon.child.exitCode).toBeNull()
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended()).code).toBe(0)
})
