import { expect, test } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { share } from '../support/amount.ts'
import type { Ended } from './support/cadre.ts'
import { agentFile, createProject } from './support/project.ts'

/** Most tests run the command in their own process. Here, each command also runs as a separate process. */
const lines: readonly (readonly [line: string, code: number])[] = [
  ['run --agent lead --model scripted:p.yaml x', 0],
  ['run --agent lead --model scripted:p.yaml --json x', 0],
  ['run --agent nobody x', 2],
  ['chat --agent lead --model scripted:p.yaml', 0],
  ['resume none', 2],
  ['sessions list', 0],
  ['approvals', 0],
  ['approve none', 2],
  ['reject none', 2],
  ['open --home none', 2],
  ['up --home none', 2],
  ['worker --home none', 2],
  ['engine start --no-such-flag', 2],
  ['down', 0],
  ['status', 0],
  ['tasks', 0],
  ['workspace list', 0],
  ['init', 0],
  ['agents list --json', 0],
  ['agents show lead', 0],
  ['lint', 0],
  ['policy explain --tool read_file --input {"path":"p.yaml"}', 0],
  ['people list --json', 0],
  ['hooks list', 0],
  ['mcp list', 0],
  ['undo', 0],
  ['redo', 0],
  ['setup', 2],
  ['config list', 0],
  ['login', 2],
  ['logout', 0],
  ['models', 0],
  ['demo --no-such-flag', 2],
  ['doctor --json', 1],
  ['completion bash', 0],
  ['acp', 0],
  ['--version', 0],
  ['--help', 0],
  ['record no-such-session', 2],
  ['replay no-such-file.json', 2],
  ['no-such-command', 2],
]

test('includes every command', () => {
  const tried = new Set(lines.map(([line]) => line.split(' ')[0]))
  expect(Object.keys(commands).filter((name) => !tried.has(name))).toEqual([])
})

test.each(share(lines, 4))(
  'cadre %s ends the same way as a process and in the test process',
  async (line, code) => {
    const results: object[] = []
    for (const ownProcess of [true, false]) {
      const project = createProject({
        ...agentFile('lead'),
        'p.yaml': { lanes: { '*': { default: { reply: 'Here.' } } } },
      })
      const ended = await project.cadre(line.split(' '), { ownProcess, input: 'Hello.\n' })
      results.push(comparable(ended, project.path))
    }
    expect(results[1]).toEqual(results[0])
    expect(results[0]).toMatchObject({ code, signal: null })
  },
)

/** Removes what differs between runs. */
function comparable({ code, signal, stdout, stderr }: Ended, folder: string): object {
  const clean = (text: string) =>
    text
      .replaceAll(folder, 'PROJECT')
      .replace(/\b(lead)-[a-z0-9]{8}\b/g, '$1-ID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/"durationMs":\d+/g, '"durationMs":0')
  return { code, signal, stdout: clean(stdout), stderr: clean(stderr) }
}
