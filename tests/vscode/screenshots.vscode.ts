// The pictures of the extension's page: CADRE_TEST_SCREENSHOTS=packages/vscode/media/screenshots updates them.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import type { Step } from './support/script.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

const cart = `import type { Product } from './product.ts'

export interface Line {
  readonly product: Product
  readonly count: number
}

/** What the customer pays, in cents. */
export function totalOf(lines: readonly Line[]): number {
  let total = 0
  for (let index = 0; index <= lines.length; index++) {
    total += lines[index].product.price * lines[index].count
  }
  return total
}
`
const product = `export interface Product {
  readonly name: string
  /** In cents. */
  readonly price: number
}
`

interface Wishes {
  readonly systemPrompt: string
  readonly description: string
  readonly useFor: string
  readonly delegates?: boolean
  readonly tools: readonly string[]
}
const agent = (name: string, { delegates = false, tools, ...texts }: Wishes) => ({
  name,
  ...texts,
  delegationPermissions: { type: delegates ? 'all' : 'none' },
  toolPermissions: { type: 'specific', tools },
})
const team = [
  agent('coordinator', {
    systemPrompt: 'You coordinate. Give each part of the work to the agent that fits it best.',
    description: 'Delegates work to other agents and combines their reports',
    useFor: 'Requests that need several agents',
    delegates: true,
    tools: ['delegateWork', 'reportOut', 'read'],
  }),
  agent('code-reviewer', {
    systemPrompt: 'You review code. Name the file, the line and the reason of each finding.',
    description: 'Finds mistakes in code',
    useFor: 'Reviews of files and changes',
    tools: ['reportOut', 'read', 'search'],
  }),
  agent('test-engineer', {
    systemPrompt: 'You write tests that fail for one reason only, and you run them.',
    description: 'Writes and runs tests',
    useFor: 'Tests of new and old code',
    tools: ['reportOut', 'read', 'search', 'edit', 'execute'],
  }),
  agent('documentation-writer', {
    systemPrompt: 'You write documentation in short sentences, with examples that work.',
    description: 'Writes documentation',
    useFor: 'Guides, references and comments',
    tools: ['reportOut', 'read', 'edit'],
  }),
]
const promptOf = (name: string) => team.find((one) => one.name === name)?.systemPrompt ?? name

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({
    workspace: {
      'src/cart.ts': cart,
      'src/product.ts': product,
      'README.md': '# Shop\n',
      '.vscode/settings.json': JSON.stringify({
        'copilotMultiAgent.entryAgent': 'coordinator',
        'copilotMultiAgent.agents': team,
      }),
    },
    environment: { USER: 'kim' },
    settings: {
      'window.title': 'shop',
      'window.commandCenter': false,
      'editor.minimap.enabled': false,
      'breadcrumbs.enabled': false,
    },
  })
  workbench = await openWorkbench(code)
  await workbench.page.setViewportSize({ width: 1240, height: 760 })
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})

const play = (lanes: Readonly<Record<string, readonly Step[]>>) =>
  code.model.play(...Object.entries(lanes).map(([name, replies]) => ({ when: promptOf(name), replies })))
const delegate = (...works: readonly (readonly [string, string])[]) =>
  works.map(([agentName, workDescription]) => ({
    name: 'delegateWork',
    input: { agentName, workDescription, reportExpectations: 'What you found or did, in one sentence.' },
  }))
const report = (text: string): Step => ({ calls: [{ name: 'reportOut', input: { report: text } }] })
const read = (file: string): Step => ({ calls: [{ name: 'read_file', input: { path: file } }] })
const row = (text: string | RegExp) =>
  workbench.page.locator('.part.sidebar .monaco-list-row').filter({ hasText: text, visible: true }).first()
const answer = () => workbench.page.locator('.interactive-response').last()

/** Drags the edge of a part of the window to this position. */
async function dragEdge(part: string, edge: 'left' | 'right', to: number): Promise<void> {
  const { mouse } = workbench.page
  const from = await workbench.page.evaluate<number>(
    `document.querySelector('.part.${part}').getBoundingClientRect().${edge}`,
  )
  // The draggable edge is slightly outside the part.
  await mouse.move(edge === 'left' ? from - 2 : from + 2, 300)
  await mouse.down()
  await mouse.move(to, 300, { steps: 5 })
  await mouse.up()
}

it('shows a tree of working agents in the chat and in the sessions view', async () => {
  await code.host.run(
    async (vscode, file) => {
      await vscode.window.showTextDocument(vscode.Uri.file(file))
    },
    path.join(code.workspace, 'src', 'cart.ts'),
  )
  await code.host.command('copilotMultiAgent.sessions.focus')
  await code.host.command('workbench.action.chat.open')
  await dragEdge('sidebar', 'right', 350)
  await dragEdge('auxiliarybar', 'left', 760)
  const [reviewed, end] = [path.join(code.folder, 'reviewed'), path.join(code.folder, 'end')]
  play({
    coordinator: [
      {
        text: 'The review, the tests and the page do not depend on each other. Three agents work on them at the same time.',
        calls: delegate(
          ['code-reviewer', 'Review src/cart.ts'],
          ['test-engineer', 'Test totalOf of src/cart.ts'],
          ['documentation-writer', 'Describe the cart for developers'],
        ),
      },
      { text: 'The loop in `totalOf` reads one line too many. The tests show it.' },
    ],
    'code-reviewer': [
      read('src/cart.ts'),
      report('src/cart.ts:11: the loop reads one line beyond the last one; use < instead of <=.'),
    ],
    'test-engineer': [
      { wait: reviewed, ...read('src/cart.ts') },
      { wait: end, ...report('One test fails, as it should.') },
    ],
    'documentation-writer': [
      { wait: reviewed, ...read('src/product.ts') },
      { wait: end, ...report('The page is written.') },
    ],
  })
  await workbench.chat.ask('@agents Review src/cart.ts, test it, and describe it for developers')
  await answer().getByText('the loop reads one line beyond').first().waitFor()
  writeFileSync(reviewed, '')
  await until('two agents to work', () => {
    return code.model.entries('waiting').filter(({ file }) => file === end).length === 2
  })
  await row('coordinator').locator('.monaco-tl-twistie').click()
  await row(/code-reviewer\s*(?:now|\d)/).waitFor()
  for (const name of ['test-engineer', 'documentation-writer'])
    await row(new RegExp(`${name}\\s*running`)).waitFor()
  await workbench.screenshot('chat')
  writeFileSync(end, '')
  await workbench.chat.waitForAnswer(/The tests show it\./)
})

it('shows an approval with its diff', async () => {
  await workbench.page.setViewportSize({ width: 1240, height: 960 })
  await workbench.chat.startNew()
  play({
    coordinator: [
      { calls: delegate(['test-engineer', 'Correct the loop of totalOf']) },
      { text: 'The loop is corrected.' },
    ],
    'test-engineer': [
      read('src/cart.ts'),
      {
        calls: [
          {
            name: 'edit_file',
            input: { path: 'src/cart.ts', old: 'index <= lines.length', new: 'index < lines.length' },
          },
        ],
      },
      report('The loop is corrected, and all tests pass.'),
    ],
  })
  await workbench.chat.ask('@agents Correct it')
  await answer().getByText('wants to use').first().waitFor()
  await code.host.command('copilotMultiAgent.showApprovals')
  await dragEdge('auxiliarybar', 'left', 860)
  await row('Write src/cart.ts').click()
  await workbench.page.locator('.editor.modified').getByText('index < lines').first().waitFor()
  await workbench.screenshot('approval')
  await workbench.page.setViewportSize({ width: 1240, height: 760 })
  await workbench.clickButton(/^Approve$/)
  await workbench.chat.waitForAnswer(/The loop is corrected\./)
})

it.each([
  ['light', 'Default Light Modern'],
  ['dark', 'Default Dark Modern'],
])('shows the settings page in a %s theme', async (name, theme) => {
  await code.host.command('workbench.action.closeAllEditors')
  await code.host.command('workbench.action.closeAuxiliaryBar')
  await code.host.command('workbench.action.closeSidebar')
  await code.host.command('notifications.clearAll')
  await code.host.run(
    (vscode, theme) =>
      vscode.workspace
        .getConfiguration('workbench')
        .update('colorTheme', theme, vscode.ConfigurationTarget.Global),
    theme,
  )
  await code.host.command('copilotMultiAgent.openSettings')
  const page = await workbench.webview('Agent Settings')
  await page.locator('.list .agent').filter({ hasText: 'code-reviewer' }).first().click()
  await page.getByRole('heading', { name: 'Agent settings' }).waitFor()
  expect(await page.locator('#name').inputValue()).toBe('code-reviewer')
  await workbench.screenshot(`settings-${name}`)
})
