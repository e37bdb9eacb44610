import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { readYaml } from '@cadre/disk'
import { findSandbox } from '@cadre/gate'
import { describe, expect, test } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { isDeep } from '../support/amount.ts'

/**
 * Runs every table of `bypass/` through the command. A table is in the format of `cadre policy test`, or an allowlist and
 * shell lines with their decisions, which is converted here.
 */
interface Row {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly expect: string
  readonly because?: string
}

interface Written {
  /** `permissions` of `.claude/settings.json`. */
  readonly permissions?: object
  readonly allowlist?: object
  readonly lines?: readonly { readonly decision: string; readonly line: string; readonly because: string }[]
  readonly calls?: readonly Row[]
  readonly defaults?: Partial<Row>
}

const folder = path.join(import.meta.dirname, 'bypass')
const tables = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

function read(name: string): Pick<Written, 'allowlist' | 'permissions'> & { readonly rows: readonly Row[] } {
  const file = path.join(folder, name)
  const limits = { letters: 4_000_000, nodes: 400_000 }
  const yaml = readYaml({ text: readFileSync(file, 'utf8'), path: file, limits })
  if (yaml.kind === 'broken') throw new Error(JSON.stringify(yaml.diagnostics))
  const { allowlist, permissions, lines, calls, defaults } = yaml.root.value as unknown as Written
  const rows =
    lines?.map(({ line, decision, because }) => ({
      tool: 'execute_command',
      input: { command: line },
      expect: decision,
      because,
    })) ?? calls?.map((call) => ({ ...defaults, ...call, input: { ...defaults?.input, ...call.input } }))
  const given = { ...(allowlist && { allowlist }), ...(permissions && { permissions }) }
  return { ...given, rows: rows ?? (yaml.root.value as unknown as Row[]) }
}

/** A git project with this list, and nothing else that decides. */
function projectWith({ allowlist = {}, permissions }: Pick<Written, 'allowlist' | 'permissions'>): Project {
  const project = createProject({
    '.cadre/storage/terminal-cmd-allowlist.yaml': allowlist,
    'src/a.ts': '',
    ...(permissions && { '.claude/settings.json': { permissions } }),
  })
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  return project
}

// Without a sandbox, running workspace code needs approval too: stricter, never less strict.
const sandbox = await findSandbox(process.env)

test('there are tables, with more than three hundred commands', () => {
  expect(tables).toContain('commands.yaml')
  expect(read('commands.yaml').rows.length).toBeGreaterThan(300)
})

describe.each(tables)('%s', (name) => {
  const { rows, ...given } = read(name)

  test('cadre policy test decides every row as expected, and changes nothing', async () => {
    const project = projectWith(given)
    const expected = rows.map((row) => ({ tool: row.tool, input: row.input, expect: row.expect }))
    project.write('table.yaml', expected)
    const before = project.listing()
    const { json, stdout, stderr } = await project.cadre([
      'policy',
      'test',
      '--trust',
      '--json',
      'table.yaml',
    ])
    const [said] = json() as unknown as [
      { files: { failures: { input: object; got: { decision: string } }[] }[]; summary: { calls: number } },
    ]
    expect(said.summary?.calls, stdout + stderr).toBe(rows.length)
    const isStricter = ({ got }: { got: { decision: string } }) =>
      sandbox.kind === 'none' && got.decision === 'ask'
    const wrong = said.files.flatMap(({ failures }) => failures).filter((failure) => !isStricter(failure))
    expect(wrong.map(({ input, got }) => ({ input, got: got.decision }))).toEqual([])
    expect(project.listing()).toEqual(before)
  })

  test('cadre policy explain reports the same for a single row', async () => {
    const project = projectWith(given)
    const step = Math.max(1, Math.floor(rows.length / (isDeep ? 12 : 2)))
    const sample = rows.filter((_, index) => index % step === 0)
    for (const [index, { tool, input, expect: decision }] of sample.entries()) {
      const flags = ['--trust', '--json', '--tool', tool, '--input', '-']
      const { code, json } = await project.cadre(['policy', 'explain', ...flags], {
        input: JSON.stringify(input),
        // A process of its own adds nothing after the first.
        ownProcess: isDeep && index === 0,
      })
      expect(code).toBe(0)
      const got = json()[0]?.['decision']
      if (sandbox.kind === 'bubblewrap' || got !== 'ask')
        expect([JSON.stringify(input), got]).toEqual([JSON.stringify(input), decision])
    }
  })
})
