/** The page and the command read the same files, so they must agree field for field. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionRow, TaskItem } from '@cadre/api'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { costText, shortNumber } from '../../packages/web/src/parts/format.ts'
import { ask } from './support/ask.ts'
import type { Browser, Page } from './support/browser.ts'
import { launchBrowser, open } from './support/opened-page.ts'
import { commandJson, commandTree, untilShown } from './support/shown-tree.ts'
import { writeTeam } from './support/team.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

interface Node {
  readonly id: string
  readonly agent: string
  readonly model: string
  readonly usage: { readonly input: number; readonly output: number; readonly cost?: number }
  readonly calls: number
  readonly children: readonly Node[]
}

async function opened(write = writeTeam) {
  const site = await open(write, { browser })
  onTestFinished(() => site.close())
  return site
}

test('each session has the same fields in the page, the API and `sessions tree --json`', async () => {
  const { home, visit } = await opened()
  const page = await visit()
  const roots = ['lead-1', 'lead-2', 'builder-2']
  const wanted = []
  for (const root of roots) wanted.push(...(await commandTree(home.home, root)))
  expect(await untilShown(page, wanted)).toEqual(wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  for (const root of roots) {
    const tree = await commandJson<Node>(home.home, 'sessions', 'tree', root)
    const nodes = flatten(tree)
    const rows = await rowsWithUsage(page, root, nodes)
    expect(rows.map(({ id }) => id).toSorted()).toEqual(nodes.map(({ id }) => id).toSorted())
    for (const node of nodes) {
      const row = rows.find(({ id }) => id === node.id)
      expect(row).toMatchObject({ agent: node.agent, model: node.model, usage: node.usage })
      const below = flatten(node)
      const sum = (key: 'input' | 'output') => below.reduce((total, { usage }) => total + usage[key], 0)
      expect(row?.subtree).toMatchObject({
        sessions: below.length,
        calls: below.reduce((total, { calls }) => total + calls, 0),
        usage: { input: sum('input'), output: sum('output') },
      })
      const shown = await page.locator(`[data-session="${node.id}"]`).first().innerText()
      expect(shown).toContain(shortNumber(sum('input') + sum('output')))
      expect(shown).toContain(costText(row?.subtree.usage.cost))
    }
  }
})

test('approvals, agents and lint findings are the same as `--json` prints', async () => {
  const { home, visit } = await opened((written) => {
    writeTeam(written)
    const agents = path.join(path.dirname(written.home.path), '.github', 'agents')
    mkdirSync(agents, { recursive: true })
    writeFileSync(
      path.join(agents, 'broken.agent.md'),
      '---\ndescription: Works.\ntools: [raed_file]\n---\nYou work.\n',
    )
  })
  const page = await visit('/waiting')
  await page.locator('[data-status="pending"]').first().waitFor()
  interface Listed {
    readonly id: string
    readonly action: string
    readonly risk: string
    readonly status: string
  }
  const fields = (items: readonly Listed[]) =>
    items
      .map(({ id, action, risk, status }) => ({ id, action, risk, status }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const approvals = await commandJson<readonly Listed[]>(home.home, 'approvals')
  const listed = await ask<{ items: readonly Listed[] }>(page, '/api/approvals')
  expect(fields(listed.items)).toEqual(fields(approvals))
  expect(approvals).toHaveLength(2)
  const agents = await commandJson<unknown>(home.home, 'agents', 'list')
  expect((await ask<{ items: unknown }>(page, '/api/agents')).items).toEqual(agents)
  interface Linted {
    readonly files: readonly { readonly diagnostics: readonly unknown[] }[]
  }
  const linted = await commandJson<Linted>(home.home, 'lint')
  expect(linted.files.flatMap(({ diagnostics }) => diagnostics)).not.toEqual([])
  expect(await ask<Linted>(page, '/api/lint')).toEqual(linted)
})

test('tasks are the same in the page, the API and `tasks --json`', async () => {
  const { home, visit } = await opened()
  const page = await visit('/tasks')
  const query = 'SELECT * FROM tasks/limits.task.md'
  // The command runs in the folder that contains the home.
  const printedQuery = `SELECT * FROM ${path.basename(home.home.path)}/tasks/limits.task.md`
  interface Queried extends Pick<TaskItem, 'id' | 'title' | 'state' | 'line' | 'priority'> {
    readonly file: string
    readonly who?: readonly string[]
    readonly depends_on?: readonly string[]
  }
  const printed = await commandJson<readonly Queried[]>(home.home, 'tasks', printedQuery)
  const wanted = printed.map(({ id, title, state, line, file, priority, who, depends_on }) => ({
    id,
    title,
    state,
    file: path.basename(file),
    line,
    priority,
    agent: who?.[0],
    dependencies: depends_on ?? [],
  }))
  expect(wanted).toHaveLength(3)
  for (const target of ['/api/tasks', `/api/tasks?query=${encodeURIComponent(query)}`]) {
    const { items } = await ask<{ items: readonly TaskItem[] }>(page, target)
    const given = items.map(({ id, title, state, file, line, priority, agent, dependencies }) => ({
      id,
      title,
      state,
      file,
      line,
      priority,
      agent,
      dependencies,
    }))
    expect(given).toEqual(wanted)
  }
  for (const { id, title, state } of wanted) {
    const column = page.locator(`section[aria-label="${state === 'done' ? 'Done' : 'Open'}"]`)
    expect(await column.locator(`[data-task="${id}"]`).innerText()).toContain(title)
  }
})

/** The rows of a tree. The server reads the journals after it has listed their sessions. */
async function rowsWithUsage(page: Page, root: string, nodes: readonly Node[]) {
  const used = ({ usage }: Pick<Node, 'usage'>) => usage.input + usage.output
  const sum = (of: readonly Pick<Node, 'usage'>[]) => of.reduce((total, one) => total + used(one), 0)
  for (;;) {
    const { rows } = await ask<{ rows: readonly SessionRow[] }>(page, `/api/sessions/${root}/tree`)
    if (sum(rows) >= sum(nodes)) return rows
  }
}

function flatten(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(flatten)]
}
