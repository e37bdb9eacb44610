import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { agentFile, createProject } from '../cli/support/project.ts'
import { inDeep } from '../support/amount.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8' })

const write = (path: string, content: string) => ({
  calls: [{ tool: 'write_file', input: { path, content } }],
})

inDeep(
  'concurrent tasks do not see each other’s partial work, and dependent tasks see all of it',
  {
    timeout: 120_000,
  },
  async () => {
    const project = createProject({
      'base.txt': 'base\n',
      ...agentFile('left', { tools: ['read_file', 'write_file', 'list_directory'] }),
      ...agentFile('right', { tools: ['read_file', 'write_file', 'list_directory'] }),
      ...agentFile('judge', { tools: ['read_file', 'list_directory'] }),
      '.cadre/storage/policy.yaml': 'effects: {write: allow}\n',
      'playbook.yaml': {
        lanes: {
          left: [
            write('left.txt', 'half'),
            { wait: 300, calls: [{ tool: 'list_directory', input: { path: '.' } }] },
            { expect: { last: 'base.txt', not: 'right.txt' }, ...write('left.txt', 'whole') },
            { reply: 'left is done' },
          ],
          right: [
            write('right.txt', 'half'),
            { wait: 300, calls: [{ tool: 'list_directory', input: { path: '.' } }] },
            { expect: { last: 'base.txt', not: 'left.txt' }, ...write('right.txt', 'whole') },
            { reply: 'right is done' },
          ],
          judge: [
            { calls: ['left.txt', 'right.txt'].map((path) => ({ tool: 'read_file', input: { path } })) },
            { expect: { last: 'whole', not: 'half' }, reply: 'both are whole' },
          ],
        },
      },
      '.cadre/tasks/work.task.md': [
        '## TODO',
        '',
        '- [ ] @left "Left"',
        '  id: l',
        '- [ ] @right "Right"',
        '  id: r',
        '- [ ] @judge "Judge"',
        '  id: j',
        '  depends_on: l, r',
        '',
      ].join('\n'),
    })
    git(project.path, 'init', '-q', '-b', 'main')
    project.write('.gitignore', '.cadre\n')
    git(project.path, 'add', '.')
    git(project.path, 'commit', '-qm', 'base')
    const up = await project.cadre(['up', '--detach', '--trust', '--model', 'scripted:playbook.yaml'])
    expect(up.stderr).toBe('')
    try {
      const tasks = () => project.read('.cadre/tasks/work.task.md')
      while (!/both are whole|failed/.test(tasks())) await new Promise((resolve) => setTimeout(resolve, 50))
      expect(tasks()).not.toContain('failed')
      expect(project.read('left.txt') + project.read('right.txt')).toBe('wholewhole')
      // The person's own history is unchanged.
      expect(git(project.path, 'log', '--oneline').trim().split('\n')).toHaveLength(1)
    } finally {
      await project.cadre(['down'])
    }
  },
)
