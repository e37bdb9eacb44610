import path from 'node:path'
import type { Home } from '@cadre/home'
import { runHere } from '../../cli/support/in-process.ts'
import type { Page } from './browser.ts'

/** A session with everything below it, in the words that the page and the command share. */
export interface ShownSession {
  readonly id: string
  readonly agent: string
  readonly state: string
  readonly level: number
}

interface TreeNode {
  readonly id: string
  readonly agent: string
  readonly state: string
  readonly status?: string
  readonly children: readonly TreeNode[]
}

/** What `cadre` prints as JSON. */
export async function commandJson<T>(home: Home, ...args: readonly string[]): Promise<T> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.folder(), CADRE_TRUST: '1' }
  const { code, stdout, stderr } = await runHere({
    args: [...args, '--json', '--home', home.path],
    // Where the sessions of a written home work.
    cwd: path.dirname(home.path),
    env,
    input: '',
  })
  if (code !== 0) throw new Error(`cadre ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** The tree that `cadre sessions tree --json` prints, parents before children. */
export async function commandTree(home: Home, root: string): Promise<readonly ShownSession[]> {
  const flatten = (node: TreeNode, level: number): readonly ShownSession[] => [
    {
      id: node.id,
      agent: node.agent,
      state: node.state === 'ended' ? (node.status ?? 'completed') : node.state,
      level,
    },
    ...node.children.flatMap((child) => flatten(child, level + 1)),
  ]
  const tree = await commandJson<TreeNode>(home, 'sessions', 'tree', root, '--sessions')
  return flatten(tree, 1)
}

/** The rows that the page shows, all trees open. Siblings are in the page's order. */
export async function shownRows(page: Page): Promise<readonly ShownSession[]> {
  return page.evaluate(`[...document.querySelectorAll('[role="row"][data-session]')].map((row) => ({
    id: row.dataset.session,
    agent: row.querySelector('strong').textContent,
    state: row.querySelector('.state').textContent.trim(),
    level: Number(row.getAttribute('aria-level')),
  }))`)
}

/** Opens every tree of the list. */
export async function openTrees(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (;;) {
      const closed = document.querySelector('[role="row"][data-session][aria-expanded="false"] .twist')
      if (closed === null) return
      closed.click()
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })()`)
}

/** Waits until the page shows exactly this. Fails with the difference when the test's time is over. */
export async function untilShown(
  page: Page,
  wanted: readonly ShownSession[],
): Promise<readonly ShownSession[]> {
  const sorted = (rows: readonly ShownSession[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const end = Date.now() + 60_000
  for (;;) {
    await openTrees(page)
    const shown = sorted(await shownRows(page))
    if (JSON.stringify(shown) === JSON.stringify(sorted(wanted)) || Date.now() > end) return shown
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
}
