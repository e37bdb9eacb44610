import { describe, expect, test } from 'vitest'
import { agentFile, createProject, delegate, report } from './support/project.ts'

const place = /\(hook \.claude\/settings\.json:\d+\)/.source
const denied = `people write secrets ${place}`

/** A hook that denies something at depth 2, one that sends the first agent back once, and one that fails. */
function createGuarded() {
  const entry = (matcher: string, command: string) => ({ matcher, hooks: [{ type: 'command', command }] })
  return createProject({
    ...agentFile('lead'),
    ...agentFile('middle', { agents: ['*'] }),
    ...agentFile('deep'),
    '.claude/settings.json': {
      hooks: {
        PreToolUse: [entry('Write', 'if grep -q secret; then echo people write secrets >&2; exit 2; fi')],
        PostToolUse: [entry('Read', 'echo lint failed >&2; exit 1')],
        Stop: [entry('', 'if [ -e tested ]; then exit 0; fi; touch tested; echo run the tests >&2; exit 2')],
      },
    },
    'p.yaml': {
      lanes: {
        lead: [{ calls: [delegate('middle')] }, { reply: 'All is done.' }, { reply: 'Now it is.' }],
        middle: [{ calls: [delegate('deep')] }, report('done')],
        deep: [
          {
            calls: [
              { tool: 'write_file', input: { path: 'secret.txt', content: 'x' } },
              { tool: 'read_file', input: { path: 'p.yaml', limit: 1 } },
            ],
          },
          report('It was forbidden.'),
        ],
      },
    },
  })
}

describe('a denial by a hook at depth 2 is reported with its place and reason', () => {
  const run = ['run', '--trust', '--allow', 'write', '--agent', 'lead', '--model', 'scripted:p.yaml', 'x']

  test('in the output of a run, in its tree and in its record', async () => {
    const project = createGuarded()
    const { code, stderr } = await project.cadre(run)
    expect(code).toBe(0)
    expect(stderr).toMatch(new RegExp(`^deep: ← write_file secret\\.txt refused: ${denied}$`, 'm'))
    expect(stderr).toMatch(
      /^deep: note: hook \.claude\/settings\.json:\d+: the hook failed with exit code 1: lint failed$/m,
    )
    expect(stderr).toMatch(new RegExp(`^lead: report sent back: run the tests ${place}$`, 'm'))
    const [deep, lead] = ['deep', 'lead'].map((name) => project.sessions().find((id) => id.startsWith(name))!)
    const tree = await project.cadre(['sessions', 'tree', lead!], { env: { COLUMNS: '200' } })
    expect(tree.stdout).toMatch(new RegExp(`✗ write_file secret\\.txt  refused: ${denied}`))
    expect(tree.stdout).toMatch(new RegExp(`round 2  All is done\\.  ! sent back: run the tests ${place}`))
    const shown = await project.cadre(['sessions', 'show', deep!])
    expect(shown.stdout).toMatch(new RegExp(`← write_file secret\\.txt refused by hook, .*\\s+${denied}`))
    const first = await project.cadre(['sessions', 'show', lead!])
    expect(first.stdout).toMatch(new RegExp(`! report sent back: run the tests ${place}`))
  })

  test('in JSON', async () => {
    const lines = (await createGuarded().cadre([...run, '--json'])).json()
    expect(
      lines.find(
        ({ type, agent, tool }) => type === 'call.judged' && agent === 'deep' && tool === 'write_file',
      ),
    ).toMatchObject({
      decision: 'deny',
      by: 'hook',
      rule: expect.stringMatching(/^hook: \.claude\/settings\.json:\d+$/),
      reason: expect.stringMatching(new RegExp(denied)),
    })
    expect(lines.find(({ type, outcome }) => type === 'call.settled' && outcome === 'refused')).toMatchObject(
      { code: 'hook' },
    )
    expect(lines.find(({ nudge }) => nudge === 'stop')).toMatchObject({
      text: expect.stringMatching(/^run the tests/),
    })
  })
})
