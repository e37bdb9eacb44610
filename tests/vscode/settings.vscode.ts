import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Frame } from './support/browser.ts'
import { accessibilityFaults, openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

interface Written {
  readonly name: string
  readonly [key: string]: unknown
}

const agent = (name: string, more: object = {}): Written => ({
  name,
  systemPrompt: `You are the ${name} of this team.`,
  description: `The ${name}`,
  useFor: `Work for a ${name}`,
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
  ...more,
})
const team = [
  agent('lead', { delegationPermissions: { type: 'specific', agents: ['reviewer'] } }),
  agent('reviewer'),
  agent('tester'),
]

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({
    workspace: {
      'notes.md': '# Notes\n',
      '.github/agents/writer.agent.md': '---\nname: writer\ndescription: Writes documents\n---\nYou write.\n',
      '.github/agents/broken.agent.md': '---\nname: broken\ndescription: d\nmaxTurns: no\n---\nYou break.\n',
    },
  })
  workbench = await openWorkbench(code)
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})

/** Writes the agents to the workspace settings, as a person or another program would. */
async function set(entryAgent: string | undefined, agents: readonly unknown[] | undefined): Promise<void> {
  await code.host.run(
    async (vscode, entry, list) => {
      const settings = vscode.workspace.getConfiguration('copilotMultiAgent')
      await settings.update('agents', list ?? undefined, vscode.ConfigurationTarget.Workspace)
      await settings.update('entryAgent', entry ?? undefined, vscode.ConfigurationTarget.Workspace)
    },
    entryAgent,
    agents,
  )
  // VS Code writes the file first, and notifies extensions of the new value later.
  await until('the new settings', () =>
    code.host.run(
      (vscode, entry) =>
        vscode.workspace.getConfiguration('copilotMultiAgent').inspect('entryAgent')?.workspaceValue ===
        (entry ?? undefined),
      entryAgent,
    ),
  )
}

async function written(): Promise<{ entryAgent?: string; agents?: Written[] }> {
  return code.host.run((vscode) => {
    const settings = vscode.workspace.getConfiguration('copilotMultiAgent')
    const of = (key: string) => settings.inspect(key).workspaceValue
    return { entryAgent: of('entryAgent'), agents: of('agents') }
  })
}

async function openPage(): Promise<Frame> {
  await code.host.command('copilotMultiAgent.openSettings')
  const page = await workbench.webview('Agent Settings')
  await page.getByRole('heading', { name: 'Agent settings' }).waitFor()
  return page
}

/** A page with the agents of `team`, without leftovers of earlier tests. */
async function openTeam(): Promise<Frame> {
  await set('lead', team)
  const page = await openPage()
  await page.locator('.list .agent').nth(2).waitFor()
  return page
}

async function save(page: Frame): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved. The changes apply').waitFor()
}

const select = (page: Frame, name: string) =>
  page.locator('.list .agent').filter({ hasText: name }).first().click()
const names = async (page: Frame) => page.locator('.list .agent .name').allInnerTexts()

async function dialogAnswer(button: string): Promise<void> {
  await workbench.page
    .locator('.monaco-dialog-box .monaco-button')
    .filter({ hasText: button })
    .first()
    .click()
}

beforeEach(async () => {
  // A closed page keeps its edits: discard them.
  const [open] = workbench.page.frames().filter((frame) => frame.url().includes('/webview/'))
  if (open !== undefined) {
    const page = await openPage()
    const isEdited = (await page.getByText('Not saved yet.').count()) > 0
    if (isEdited) {
      await page.getByRole('button', { name: 'Discard changes' }).click()
      await page.locator('dialog').getByRole('button', { name: 'Discard' }).click()
    }
  }
  await code.host.command('workbench.action.closeAllEditors')
  await code.host.command('notifications.clearAll')
  await set(undefined, undefined)
})

describe('configure agents and the entry agent', () => {
  it('shows the built-in team if nothing is configured, and copies it into the settings', async () => {
    const page = await openPage()
    await page.getByText('This level defines no agents.').waitFor()
    await page.getByRole('button', { name: 'Customize: copy into the settings' }).click()
    await page.getByText('4 agents were added from the team coordinator.').waitFor()
    await save(page)
    const { entryAgent, agents } = await written()
    expect(entryAgent).toBe('coordinator')
    expect(agents?.map(({ name }) => name)).toContain('test-engineer')
    expect(await workbench.notifications()).toEqual([])
  })

  it('explains that the first agent replaces the built-in team, and copies the team first on request', async () => {
    const files = path.join(code.workspace, '.github')
    const away = path.join(code.folder, 'github-away')
    renameSync(files, away)
    try {
      const page = await openPage()
      await page.getByText('in use', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Add agent' }).click()
      await page.getByText('Your first agent replaces the built-in team').waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      await workbench.screenshot('settings-start')
      await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      expect(await names(page)).toEqual([])
      await page.getByRole('button', { name: 'Add agent' }).click()
      await page.locator('dialog').getByRole('button', { name: 'Start from the built-in team' }).click()
      await until('the focus on the name', () =>
        page.evaluate<boolean>('document.activeElement?.id === "name"'),
      )
      expect(await names(page)).toHaveLength(5)
      expect(await page.locator('#entryAgent').inputValue()).toBe('coordinator')
      expect(await page.locator('#name').inputValue()).toBe('new-agent')
    } finally {
      renameSync(away, files)
    }
  })

  it('lists ready teams with their purpose, and adds one only when its button is clicked', async () => {
    const page = await openTeam()
    const { keyboard } = workbench.page
    await page.getByText('Add a team template').focus()
    await keyboard.press('Enter')
    const teams = page.getByRole('list', { name: 'Team templates' })
    await teams.getByText('explorers', { exact: true }).waitFor()
    expect(await teams.locator('li .hint').allInnerTexts()).not.toContain('')
    for (const key of ['ArrowDown', 'ArrowDown', 'Tab', 'ArrowDown']) await keyboard.press(key)
    expect(await names(page)).toHaveLength(3)
    await page.getByRole('button', { name: 'Add the team coordinator', exact: true }).focus()
    await keyboard.press('Enter')
    await page.getByText('4 agents were added from the team coordinator.').waitFor()
    expect(await names(page)).toHaveLength(7)
  })

  it('makes another agent the entry agent', async () => {
    const page = await openTeam()
    await select(page, 'tester')
    await page.getByRole('button', { name: 'Make entry agent' }).click()
    await save(page)
    expect(await written()).toMatchObject({ entryAgent: 'tester' })
  })

  it('warns about an entry agent that does not exist, and uses the first one', async () => {
    await set('nobody', team)
    await until('the warning', async () =>
      (await workbench.notifications()).some((text) =>
        text.includes('configuration.entryAgent names "nobody"'),
      ),
    )
    const page = await openPage()
    await page.getByText('nobody (missing)').waitFor({ state: 'attached' })
    await select(page, 'reviewer')
    await page.getByRole('button', { name: 'Make entry agent' }).click()
    await save(page)
    expect(await written()).toMatchObject({ entryAgent: 'reviewer' })
  })
})

describe('settings that change while VS Code runs', () => {
  const prompts = () => JSON.stringify(code.model.requests().at(-1)?.messages)

  it('apply from the next request', async () => {
    await workbench.chat.startNew()
    code.model.play({ replies: [{ text: 'First answer.' }] })
    await set('lead', team)
    await workbench.chat.ask('@agents Say something')
    await workbench.chat.waitForAnswer(/First answer\./)
    expect(prompts()).toContain('You are the lead of this team.')
    expect(prompts()).toContain('- **reviewer**: Work for a reviewer')
    code.model.play({ replies: [{ text: 'Second answer.' }] })
    await set('tester', team)
    await workbench.chat.startNew()
    await workbench.chat.ask('@agents Say something else')
    await workbench.chat.waitForAnswer(/Second answer\./)
    expect(prompts()).toContain('You are the tester of this team.')
  })
})

describe('add, edit and remove agents, with persistence and confirmation', () => {
  it('adds an agent and saves it', async () => {
    const page = await openTeam()
    await page.getByRole('button', { name: 'Add agent' }).click()
    await until('the focus on the name', () =>
      page.evaluate<boolean>('document.activeElement?.id === "name"'),
    )
    await page.locator('#name').fill('writer-2')
    await page.locator('#description').fill('Writes documentation')
    await page.locator('#useFor').fill('Documentation')
    await page.locator('#systemPrompt').fill('You write documentation for people.')
    await save(page)
    expect((await written()).agents?.at(-1)).toEqual({
      name: 'writer-2',
      systemPrompt: 'You write documentation for people.',
      description: 'Writes documentation',
      useFor: 'Documentation',
      delegationPermissions: { type: 'none' },
      toolPermissions: { type: 'specific', tools: ['read', 'search'] },
    })
    await workbench.reload()
    expect((await written()).agents).toHaveLength(4)
  })

  it('saves with Ctrl+S', async () => {
    const page = await openTeam()
    await select(page, 'tester')
    await page.locator('#description').fill('Saved by keys')
    await page.getByText('Not saved yet.').waitFor()
    await workbench.page.keyboard.press('Control+s')
    await page.getByText('Saved. The changes apply').waitFor()
    expect((await written()).agents?.[2]).toMatchObject({ description: 'Saved by keys' })
  })

  it('renames an agent and all references to it', async () => {
    const page = await openTeam()
    await select(page, 'reviewer')
    await page.locator('#name').fill('critic')
    await save(page)
    const { agents } = await written()
    expect(agents?.[0]).toMatchObject({ delegationPermissions: { type: 'specific', agents: ['critic'] } })
    expect(agents?.[1]).toMatchObject({ name: 'critic' })
  })

  it('duplicates and moves an agent', async () => {
    const page = await openTeam()
    await select(page, 'reviewer')
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('button', { name: 'Move up' }).click()
    expect(await names(page)).toEqual(['lead', 'reviewer-copy', 'reviewer', 'tester'])
    await save(page)
    expect((await written()).agents?.map(({ name }) => name)).toEqual([
      'lead',
      'reviewer-copy',
      'reviewer',
      'tester',
    ])
  })

  it('deletes an agent after a confirmation, which can be declined with Escape', async () => {
    const page = await openTeam()
    await select(page, 'reviewer')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('These agents can no longer delegate to it: lead.').waitFor()
    await workbench.page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await names(page)).toHaveLength(3)
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Delete')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click()
    await save(page)
    const { agents } = await written()
    expect(agents?.map(({ name }) => name)).toEqual(['lead', 'tester'])
    expect(agents?.[0]).toMatchObject({ delegationPermissions: { type: 'none' } })
  })

  it('asks for a new entry agent when the entry agent is deleted', async () => {
    const page = await openTeam()
    await select(page, 'lead')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('#successor').selectOption('tester')
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click()
    await save(page)
    expect(await written()).toMatchObject({
      entryAgent: 'tester',
      agents: [{ name: 'reviewer' }, { name: 'tester' }],
    })
  })

  it('offers to reset the level instead of deleting the last agent', async () => {
    await set('lead', [agent('lead')])
    const page = await openPage()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('lead is the last agent at this level').waitFor()
    await page.locator('dialog').getByRole('button', { name: 'Keep the agent' }).click()
    expect(await names(page)).toEqual(['lead'])
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Reset this level…' }).click()
    await workbench.page.getByText('This removes 1 agent: lead.').waitFor()
    await dialogAnswer('Reset')
    await page.getByText('This level defines no agents.').waitFor()
  })
})

describe('fields and permissions are validated on save', () => {
  it('does not save invalid input, and reports errors at the field and in a summary', async () => {
    const page = await openTeam()
    await select(page, 'tester')
    await page.locator('#name').fill('two words')
    await page.locator('#systemPrompt').fill('')
    await page.getByText('Name "two words" may contain only the letters A to Z, digits, - and _.').waitFor()
    await page.getByRole('group', { name: 'Tools' }).getByText('Only these tools').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not saved.').waitFor()
    await page.locator('#systemPrompt-notes').getByText('Instructions are empty.').waitFor()
    await page.locator('#toolPermissions-notes').getByText('Choose at least one, or choose "None".').waitFor()
    expect(await page.locator('#name').getAttribute('aria-invalid')).toBe('true')
    await until('the focus on the summary', () =>
      page.evaluate<boolean>('document.activeElement?.classList.contains("error")'),
    )
    await page.getByRole('button', { name: 'two words, Instructions' }).click()
    await until('the focus on the field', () =>
      page.evaluate<boolean>('document.activeElement?.id === "systemPrompt"'),
    )
    expect((await written()).agents).toEqual(team)
  })

  it('shows problems of the settings as soon as it opens', async () => {
    const bad = { ...agent('bad name', { toolPermissions: { type: 'some' } }), systemPrompt: '' }
    await set('lead', [agent('lead'), bad])
    const page = await openPage()
    await page.locator('.list .agent').filter({ hasText: 'bad name' }).getByText('3 errors').waitFor()
    await page.getByText('The settings have 3 errors.').waitFor()
    expect(await page.getByText('All changes are saved.').count()).toBe(0)
    await select(page, 'bad name')
    await page.locator('#name-notes').waitFor()
    await page.locator('#systemPrompt-notes').getByText('Instructions are empty.').waitFor()
    await page.locator('#toolPermissions-notes').getByText('not "some"').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await workbench.screenshot('settings-errors')
    await page.locator('#name').fill('good-name')
    await page.locator('#systemPrompt').fill('You do good work for people.')
    await save(page)
    await page.getByText('All changes are saved.').waitFor()
    expect((await written()).agents?.[1]).toMatchObject({
      name: 'good-name',
      toolPermissions: { type: 'none' },
    })
  })

  it('offers real tools and agents, and shows missing tools as missing', async () => {
    await set(
      'lead',
      team.with(
        2,
        agent('tester', { toolPermissions: { type: 'specific', tools: ['gone_tool', 'probe_echo'] } }),
      ),
    )
    const page = await openPage()
    await select(page, 'tester')
    const tools = page.getByRole('group', { name: 'Tools' })
    await tools.getByText('gone_tool').first().waitFor()
    await tools.getByText('missing', { exact: true }).waitFor()
    await tools.getByText('The tool "gone_tool" is not available.').waitFor()
    const listed = await code.host.run((vscode) => vscode.lm.tools.map(({ name }: { name: string }) => name))
    expect(listed).toContain('probe_echo')
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('probe')
    await until('only the tools that were searched for', async () =>
      (await tools.locator('.choices code').allInnerTexts()).every((name) => name.includes('probe')),
    )
    expect(await tools.locator('.choices code').allInnerTexts()).toContain('probe_danger')
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('read_file')
    await tools.locator('.choices label').filter({ hasText: 'read_file' }).first().click()
    await tools.locator('label').filter({ hasText: 'gone_tool' }).first().click()
    await page.getByRole('group', { name: 'Delegation' }).getByText('Only these agents').click()
    await page
      .getByRole('group', { name: 'Delegation' })
      .locator('.choices label')
      .filter({ hasText: 'lead' })
      .click()
    await save(page)
    expect((await written()).agents?.[2]).toMatchObject({
      toolPermissions: { type: 'specific', tools: ['probe_echo', 'read_file'] },
      delegationPermissions: { type: 'specific', agents: ['lead'] },
    })
  })

  it('suggests the available models', async () => {
    const page = await openTeam()
    const models = await code.host.run(async (vscode) =>
      (await vscode.lm.selectChatModels()).map(({ id }: { id: string }) => id),
    )
    expect(models).not.toEqual([])
    await until('the suggestions', async () => {
      const listed = await page.evaluate<string[]>(
        "[...document.querySelectorAll('#models option')].map(({ value }) => value)",
      )
      return models.every((id: string) => listed.includes(id))
    })
  })

  it('shows the prompt sent to the model, as it changes', async () => {
    const page = await openTeam()
    await select(page, 'lead')
    const prompt = page.locator('.prompt')
    await prompt.getByText('## Available Agents for Delegation').waitFor()
    await prompt.getByText('- **reviewer**: Work for a reviewer').waitFor()
    await page.locator('#systemPrompt').fill('You lead this team kindly.')
    await prompt.getByText('You lead this team kindly.').waitFor()
    await page.getByRole('group', { name: 'Delegation' }).getByText('All other agents').click()
    await prompt.getByText('- **writer**: Writes documents').waitFor()
    await page.getByRole('group', { name: 'Delegation' }).getByText('None').click()
    await until(
      'the list of agents to go',
      async () => !(await prompt.textContent())?.includes('Available Agents'),
    )
  })
})

describe('the settings section: immediate validation, and reset with confirmation', () => {
  const file = () => path.join(code.workspace, '.vscode', 'settings.json')
  const problems = () =>
    code.host.run((vscode) =>
      vscode.languages
        .getDiagnostics()
        .flatMap(
          ([uri, list]: [
            { path: string },
            { source: string; message: string; range: { start: { line: number } } }[],
          ]) =>
            list
              .filter(({ source }) => source === 'Copilot Multi-Agent')
              .map(({ message, range }) => ({ file: uri.path, line: range.start.line, message })),
        ),
    ) as Promise<{ file: string; line: number; message: string }[]>

  it('reports errors in settings that were edited as text once, at the line, and uses defaults for them', async () => {
    const agents = [
      agent('lead'),
      agent('reviewer'),
      agent('tester', { delegationPermissions: { type: 'specific', agents: ['nobody'] } }),
    ]
    const text = JSON.stringify(
      { 'copilotMultiAgent.entryAgent': 'lead', 'copilotMultiAgent.agents': agents },
      null,
      2,
    )
    mkdirSync(path.dirname(file()), { recursive: true })
    writeFileSync(file(), text)
    const expected = 'configuration.agents[2].delegationPermissions.agents[0] names "nobody"'
    await until('the notification', async () =>
      (await workbench.notifications()).some((said) => said.includes(expected)),
    )
    const found = await until('the problem', async () => {
      const list = await problems()
      return list.length > 0 && list
    })
    expect(found).toEqual([
      {
        file: file(),
        line: text.split('\n').findIndex((line) => line.includes('"nobody"')),
        message: expect.stringContaining(expected),
      },
    ])
    await code.host.command('notifications.clearAll')
    // The same content again, further down.
    writeFileSync(file(), `// A comment\n${text}`)
    await until('the problem to move', async () => (await problems())[0]?.line === found[0]!.line + 1)
    expect(await workbench.notifications()).toEqual([])

    await workbench.runCommand('Multi-Agent: Validate Agent Settings')
    await until('the result', async () =>
      (await workbench.notifications()).some((said) => said.includes('0 errors and 1 warning')),
    )
    await set('lead', team)
    await until('the problem to go', async () => (await problems()).length === 0)
    await workbench.runCommand('Multi-Agent: Validate Agent Settings')
    await until('the result', async () =>
      (await workbench.notifications()).some((said) => said.includes('The agent settings are valid.')),
    )
  })

  it('shows problems of the user settings in the user’s file, and edits them at that level', async () => {
    const setUser = (agents: readonly unknown[] | undefined) =>
      code.host.run(async (vscode, list) => {
        const settings = vscode.workspace.getConfiguration('copilotMultiAgent')
        await settings.update('agents', list ?? undefined, vscode.ConfigurationTarget.Global)
        await settings.update('entryAgent', undefined, vscode.ConfigurationTarget.Global)
      }, agents)
    try {
      await setUser([agent('mine', { toolPermissions: { type: 'some' } })])
      const user = path.join(code.folder, 'data', 'User', 'settings.json')
      const [found] = await until('the problem', async () => {
        const list = await problems()
        return list.length > 0 && list
      })
      const lines = readFileSync(user, 'utf8').split('\n')
      expect(found).toMatchObject({ file: user, line: lines.findIndex((line) => line.includes('"some"')) })
      const page = await openPage()
      await page.locator('#toolPermissions').getByText('None', { exact: true }).waitFor()
      await page.getByText('Tools must be "all", "none" or "specific", not "some"').waitFor()
      await page.getByText('The settings have 1 error.').waitFor()
      await page.locator('#description').fill('Mine alone')
      await save(page)
      expect(await written()).toEqual({})
      await until('the problem to go', async () => (await problems()).length === 0)
    } finally {
      await setUser(undefined)
    }
  })

  it('uses the default for settings that are invalid as a whole, with a warning', async () => {
    writeFileSync(file(), '{ "copilotMultiAgent.agents": [7] }')
    await until('the warning', async () =>
      (await workbench.notifications()).some((said) =>
        said.includes('configuration.agents[0] must be an object'),
      ),
    )
    expect((await problems()).map(({ message }) => message).join()).toContain('default configuration')
    await code.host.command('copilotMultiAgent.showStatus')
    const status = await code.host.run((vscode) => vscode.window.activeTextEditor.document.getText())
    expect(status).toContain('`coordinator` (entry agent: answers `@agents`)')
    expect(status).toContain('configuration\\.agents\\[0\\] must be an object')
  })

  it('reads an older format, and writes the new one when a person agrees', async () => {
    const old = {
      'editor.tabSize': 2,
      'copilotMultiAgent.coordinator': { ...agent('lead'), delegationPermissions: true },
      'copilotMultiAgent.customAgents': [{ ...agent('reviewer'), toolPermissions: false }],
    }
    writeFileSync(file(), `// Ours\n${JSON.stringify(old, null, 2)}`)
    await until('the offer', async () => (await workbench.page.getByText('Update Settings').count()) > 0)
    await workbench.clickButton('Update Settings')
    await until('the new form', async () => (await written()).agents?.length === 2)
    await until(
      'the file without the older form',
      () => !readFileSync(file(), 'utf8').includes('customAgents'),
    )
    expect(await written()).toMatchObject({
      entryAgent: 'lead',
      agents: [{ delegationPermissions: { type: 'all' } }, { toolPermissions: { type: 'none' } }],
    })
    const text = readFileSync(file(), 'utf8')
    expect(text).toContain('// Ours')
    expect(text).toContain('"editor.tabSize": 2')
  })

  it('keeps edits when the settings change outside, and lets a person choose', async () => {
    const page = await openTeam()
    await select(page, 'tester')
    await page.locator('#description').fill('Mine')
    await set('lead', team.with(1, agent('reviewer', { description: 'Theirs' })))
    await page.getByText('The settings at this level were changed outside').waitFor()
    expect(await page.locator('#description').inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The settings at this level were changed outside').waitFor()
    expect((await written()).agents?.[2]).toMatchObject({ description: 'The tester' })
    await page.getByRole('button', { name: 'Keep my changes' }).click()
    await save(page)
    expect((await written()).agents?.[2]).toMatchObject({ description: 'Mine' })
  })

  it('keeps edits while the page is hidden, and after it was closed', async () => {
    let page = await openTeam()
    await select(page, 'tester')
    await page.locator('#description').fill('Not lost')
    await page.getByText('Not saved yet.').waitFor()
    await code.host.run(async (vscode) => {
      const [uri] = await vscode.workspace.findFiles('notes.md')
      await vscode.window.showTextDocument(uri, { preview: false })
    })
    page = await openPage()
    await page.getByText('Not saved yet.').waitFor()
    expect(await page.locator('#description').inputValue()).toBe('Not lost')
    await code.host.command('workbench.action.closeAllEditors')
    page = await openPage()
    await page.getByText('Not saved yet.').waitFor()
    await select(page, 'tester')
    expect(await page.locator('#description').inputValue()).toBe('Not lost')
  })

  it('resets the agents of a level after a confirmation that lists what is lost', async () => {
    const page = await openTeam()
    await page.getByRole('button', { name: 'Reset…' }).click()
    await workbench.page.getByText('This removes 3 agents: lead, reviewer, tester.').waitFor()
    await dialogAnswer('Cancel')
    expect((await written()).agents).toHaveLength(3)
    await workbench.runCommand('Multi-Agent: Reset Agents to Defaults')
    await dialogAnswer('Reset')
    await page.getByText('This level defines no agents.').waitFor()
    expect(await written()).toEqual({})
  })
})

describe('import, export and agent files', () => {
  it('exports agents as JSON and as files, and imports them again', async () => {
    await set('lead', team)
    const json = path.join(code.folder, 'export.json')
    const folder = path.join(code.folder, 'exported')
    mkdirSync(folder)
    await code.host.run(
      async (vscode, file, target) => {
        await vscode.commands.executeCommand('copilotMultiAgent.exportAgents', vscode.Uri.file(file))
        await vscode.commands.executeCommand('copilotMultiAgent.exportAgents', vscode.Uri.file(target))
      },
      json,
      folder,
    )
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual({
      version: '1.0.0',
      entryAgent: 'lead',
      agents: team,
    })
    expect(existsSync(path.join(folder, '.github', 'agents', 'reviewer.agent.md'))).toBe(true)

    await set(undefined, undefined)
    await code.host.run(
      (vscode, file) =>
        vscode.commands.executeCommand('copilotMultiAgent.importAgents', vscode.Uri.file(file)),
      json,
    )
    const page = await workbench.webview('Agent Settings')
    await page.getByText('3 agents were added from').waitFor()
    await save(page)
    expect(await written()).toEqual({ entryAgent: 'lead', agents: team })
  })

  it('lists agent files with their problems, opens them and copies them into the settings', async () => {
    const page = await openPage()
    const broken = page.locator('.cards li').filter({ hasText: 'broken.agent.md' })
    await broken.getByText('cannot be used', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy into settings: writer' }).click()
    await page.getByText('1 agent was added from').waitFor()
    await save(page)
    expect((await written()).agents).toMatchObject([
      { name: 'writer', systemPrompt: expect.stringContaining('You write.') },
    ])
    await page.getByRole('button', { name: 'Open file .github/agents/broken.agent.md' }).click()
    await until('the file to open', () =>
      code.host.run(
        (vscode) => vscode.window.activeTextEditor?.document.uri.path.endsWith('broken.agent.md') === true,
      ),
    )
  })

  it('lists the tools, and those that agents name but that are missing', async () => {
    await set('lead', [agent('lead', { toolPermissions: { type: 'specific', tools: ['gone_tool'] } })])
    await workbench.runCommand('Multi-Agent: Refresh Tools')
    await until('the warning', async () =>
      (await workbench.notifications()).some((said) =>
        said.includes('Not available: gone_tool (named by lead)'),
      ),
    )
  })
})

describe('the page is accessible', () => {
  it.each([
    ['light', 'Default Light Modern'],
    ['dark', 'Default Dark Modern'],
    ['high-contrast', 'Default High Contrast'],
  ])('has no fault that axe finds, in a %s theme', async (name, theme) => {
    await code.host.run(
      (vscode, id) =>
        vscode.workspace
          .getConfiguration('workbench')
          .update('colorTheme', id, vscode.ConfigurationTarget.Global),
      theme,
    )
    const page = await openTeam()
    await select(page, 'reviewer')
    await page.locator('#name').fill('not a name')
    await page.getByRole('group', { name: 'Tools' }).getByText('Only these tools').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not saved.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await workbench.screenshot(`settings-with-faults-${name}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('dialog').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  it('fits a width of 360 pixels', async () => {
    await code.host.command('workbench.action.closeSidebar')
    await code.host.command('workbench.action.closeAuxiliaryBar')
    const page = await openTeam()
    await workbench.page.setViewportSize({ width: 390, height: 900 })
    const widths = '[document.documentElement.clientWidth, document.documentElement.scrollWidth]'
    await until(
      'the page to be narrow',
      async () => (await page.evaluate<[number, number]>(widths))[0] <= 360,
    )
    const [width, content] = await page.evaluate<[number, number]>(widths)
    await page.locator('#toolPermissions').focus()
    const inSight = `(() => {
      const { top, bottom } = document.querySelector('.bar .primary').getBoundingClientRect()
      return window.scrollY > 0 && top >= 0 && bottom <= window.innerHeight
    })()`
    await until('Save to be in sight further down', () => page.evaluate<boolean>(inSight))
    await workbench.screenshot('settings-narrow')
    await workbench.page.setViewportSize({ width: 1400, height: 900 })
    expect(content).toBeLessThanOrEqual(width)
  })

  it('can be used with only the keyboard', async () => {
    const page = await openTeam()
    await page.locator('.list .agent').first().focus()
    await workbench.page.keyboard.press('Tab')
    await workbench.page.keyboard.press('Enter')
    expect(await page.locator('.list .agent').nth(1).getAttribute('aria-current')).toBe('true')
    await page.locator('#description').focus()
    await workbench.page.keyboard.press('End')
    await workbench.page.keyboard.type(', by keyboard')
    await page.getByRole('button', { name: 'Save', exact: true }).focus()
    await workbench.page.keyboard.press('Enter')
    await page.getByText('Saved. The changes apply').waitFor()
    expect((await written()).agents?.[1]).toMatchObject({ description: 'The reviewer, by keyboard' })
  })
})
