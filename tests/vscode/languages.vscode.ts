import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

const cadre = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')

const workspace = {
  '.github/agents/lead.agent.md':
    '---\nname: lead\ndescription: Leads\ntools: [agent, reed, probe]\nagents: [worker]\nuser-invokable: false\n---\nLead.\n',
  '.github/agents/worker.agent.md': '---\nname: worker\ndescription: Works\n---\nWork.\n',
  '.opencode/agent/open.md': '---\ndescription: Opens\nmode: all\n---\nOpen.\n',
  'plan.yaml':
    'lanes:\n  worker:\n    - calls: [{ tool: list_directory, input: { path: . } }]\n    - reply: Done.\n',
  '.cadre/tasks/a.task.md':
    '## TODO\n\n- [ ] A @worker #docs "One"\n  id: task-one\n\n  - [?] "Below"\n    id: task-two\n\n- [x] "Two"\n',
}

describe.each(['newest', 'oldest'] as const)('the languages in the %s VS Code', (version) => {
  let code: VsCode
  let workbench: Workbench

  beforeAll(async () => {
    code = await startVsCode({ version, workspace, copilot: version === 'newest' })
    workbench = await openWorkbench(code)
  })
  afterAll(async () => {
    await workbench?.close()
    await code?.stop()
  })

  const at = (file: string) => path.join(code.workspace, file)
  /** The problems of a file in the list, as `line code`. */
  const problems = (file: string) =>
    code.host.run(
      (vscode, fsPath) =>
        vscode.languages
          .getDiagnostics(vscode.Uri.file(fsPath))
          .filter((one: { severity: number; source?: string }) => one.severity < 2 && one.source === 'Cadre')
          .map(
            (one: { code: string; range: { start: { line: number } } }) =>
              `${one.range.start.line + 1} ${one.code}`,
          ),
      at(file),
    ) as Promise<string[]>
  const open = (file: string) =>
    code.host.run(async (vscode, fsPath) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(fsPath))
      await vscode.window.showTextDocument(document, { preview: false })
      return document.languageId as string
    }, at(file))
  /** Writes a text in an open document and returns the completions after it; the text is removed afterwards. */
  const offered = (file: string, line: number, text: string) =>
    code.host.run(
      async (vscode, fsPath, line, text) => {
        const uri = vscode.Uri.file(fsPath)
        const place = new vscode.Position(line, 0)
        const insert = new vscode.WorkspaceEdit()
        insert.insert(uri, place, `${text}\n`)
        await vscode.workspace.applyEdit(insert)
        const last = text.split('\n').at(-1) as string
        const end = new vscode.Position(line + text.split('\n').length - 1, last.length)
        const list = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', uri, end)
        const remove = new vscode.WorkspaceEdit()
        remove.delete(uri, new vscode.Range(place, new vscode.Position(line + text.split('\n').length, 0)))
        await vscode.workspace.applyEdit(remove)
        return list.items.map(({ label }: { label: string | { label: string } }) =>
          typeof label === 'string' ? label : label.label,
        ) as string[]
      },
      at(file),
      line,
      text,
    )

  const lead = '.github/agents/lead.agent.md'

  it('finds problems of agents in the background, before any of them is open', async () => {
    await until('the problems of the workspace', async () => (await problems(lead)).length > 0)
    expect(await problems(lead)).toEqual(['4 tool-unknown', '4 tool-unknown', '6 user-invokable'])
  })

  it('removes a problem when its quick fix is applied, before the file is saved', async () => {
    await open(lead)
    // VS Code cancels the request while it is still showing the file.
    const applied = await until('the quick fix', () =>
      code.host.run(async (vscode, fsPath) => {
        const uri = vscode.Uri.file(fsPath)
        const range = new vscode.Range(5, 0, 5, 5)
        const command = 'vscode.executeCodeActionProvider'
        const actions = await vscode.commands.executeCommand(command, uri, range, 'quickfix')
        const fix = actions.find(({ title }: { title: string }) => title.startsWith('Fix this agent file'))
        if (fix === undefined) return undefined
        const edits = fix.edit.get(uri).length
        await vscode.workspace.applyEdit(fix.edit)
        return { edits, text: (await vscode.workspace.openTextDocument(uri)).getText() as string }
      }, at(lead)),
    )
    expect(applied.edits).toBe(1)
    expect(applied.text).toContain('\nuser-invocable: false\n')
    expect(readFileSync(at(lead), 'utf8')).toContain('user-invokable')
    await until('the problem to go away', async () => !(await problems(lead)).includes('6 user-invokable'))
  })

  it('notices that an agent is renamed in another file', async () => {
    await open('.github/agents/worker.agent.md')
    const rename = (from: string, to: string) =>
      code.host.run(
        async (vscode, fsPath, from, to) => {
          const document = await vscode.workspace.openTextDocument(vscode.Uri.file(fsPath))
          const start = document.getText().indexOf(from)
          const edit = new vscode.WorkspaceEdit()
          const range = new vscode.Range(document.positionAt(start), document.positionAt(start + from.length))
          edit.replace(document.uri, range, to)
          await vscode.workspace.applyEdit(edit)
        },
        at('.github/agents/worker.agent.md'),
        from,
        to,
      )
    await rename('name: worker', 'name: other')
    await until('the missing agent', async () => (await problems(lead)).includes('5 agent-missing'))
    await rename('name: other', 'name: worker')
    await until('the agent to be back', async () => !(await problems(lead)).includes('5 agent-missing'))
  })

  it('completes agents and tools in agent files, without duplicates', async () => {
    const tools = await offered(lead, 3, 'disallowed-tools: [')
    expect(tools).toEqual(expect.arrayContaining(['read_file', 'delegateWork']))
    const agents = await offered(lead, 3, 'handoffs:\n  - agent: ')
    expect(agents).toEqual(expect.arrayContaining(['worker', 'open']))
    // The newest VS Code offers some keys itself, as soon as it has loaded its own languages.
    let keys: string[] = []
    await until('the keys of VS Code', async () => {
      keys = await offered(lead, 3, '')
      return keys.includes('argument-hint')
    })
    expect(keys).toEqual(expect.arrayContaining(['argument-hint', 'max-turns']))
    for (const list of [tools, agents, keys]) expect(list.length).toBe(new Set(list).size)
    await open('.opencode/agent/open.md')
    expect(await offered('.opencode/agent/open.md', 1, 'tools: ')).toContain('bash')
  })

  it('explains a tool on hover', async () => {
    const said = await code.host.run(async (vscode, fsPath) => {
      const uri = vscode.Uri.file(fsPath)
      const place = new vscode.Position(3, 16)
      const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', uri, place)
      return JSON.stringify(
        hovers.map(({ contents }: { contents: { value: string }[] }) => contents[0]?.value),
      )
    }, at(lead))
    expect(said.replaceAll('&nbsp;', ' ')).toContain('There is no tool named `reed`')
  })

  it('keeps task files as Markdown, with problems, completion, folding and an outline', async () => {
    const file = '.cadre/tasks/a.task.md'
    expect(await open(file)).toBe('markdown')
    await until('the problem of the marker', async () => (await problems(file)).includes('6 TD004'))
    expect(await offered(file, 9, '- [ ] @')).toEqual(expect.arrayContaining(['worker', 'lead', 'human']))
    expect(await offered(file, 9, '- [')).toEqual(expect.arrayContaining(['[x] done', '[~] running']))
    expect(await offered(file, 4, '  depends_on: ')).toEqual(expect.arrayContaining(['task-one']))
    const { folds, names } = await code.host.run(async (vscode, fsPath) => {
      const uri = vscode.Uri.file(fsPath)
      const ranges = await vscode.commands.executeCommand('vscode.executeFoldingRangeProvider', uri)
      const symbols = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri)
      return {
        folds: ranges.map(({ start, end }: { start: number; end: number }) => `${start}-${end}`) as string[],
        names: symbols.map(({ name }: { name: string }) => name) as string[],
      }
    }, at(file))
    expect(folds).toContain('2-6')
    expect(names).toEqual(expect.arrayContaining(['One', 'Two']))
  })

  describe('session files', () => {
    let session: string

    beforeAll(() => {
      const run = ['run', '--agent', 'worker', '--model', 'scripted:plan.yaml', '--trust', 'Do it.']
      execFileSync(process.execPath, [cadre, ...run], {
        cwd: code.workspace,
        env: { PATH: process.env['PATH'], HOME: code.home },
      })
      const [file] = readdirSync(at('.cadre/sessions')).filter((name) => name.endsWith('.session.yaml'))
      session = `.cadre/sessions/${file}`
    })

    const shape = (file: string) =>
      code.host.run(async (vscode, fsPath) => {
        const uri = vscode.Uri.file(fsPath)
        const folds = await vscode.commands.executeCommand('vscode.executeFoldingRangeProvider', uri)
        const symbols = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri)
        return {
          folds: folds.length as number,
          names: symbols.map(({ name }: { name: string }) => name) as string[],
        }
      }, at(file))

    it('written by the command have folds, an outline and no problems', async () => {
      expect(await open(session)).toBe('cadre-session')
      const { folds, names } = await shape(session)
      expect(folds).toBeGreaterThan(3)
      expect(names).toEqual(expect.arrayContaining(['metadata', '1 user']))
      expect(names.some((name) => name.endsWith(' assistant: list_directory'))).toBe(true)
      expect(await problems(session)).toEqual([])
    })

    it('that were cut have a problem at the torn entry', async () => {
      const torn = session.replace('.session', '-torn.session')
      const text = readFileSync(at(session), 'utf8')
      writeFileSync(at(torn), text.slice(0, -10))
      await open(torn)
      const found = await until('the problem', async () => {
        const list = await code.host.run(
          (vscode, fsPath) =>
            vscode.languages
              .getDiagnostics(vscode.Uri.file(fsPath))
              .map(({ message }: { message: string }) => message),
          at(torn),
        )
        return list.length > 0 && (list as string[])
      })
      expect(found).toEqual([expect.stringContaining('This entry is incomplete')])
    })

    it('of ten megabytes do not block the extension host', async () => {
      const text = readFileSync(at(session), 'utf8')
      const entries = text.slice(text.indexOf('\n  - seq: ') + 1)
      const large = session.replace('.session', '-large.session')
      writeFileSync(at(large), text + entries.repeat(Math.ceil(10_000_000 / entries.length)))
      const longest = await code.host.run(async (vscode, fsPath) => {
        const uri = vscode.Uri.file(fsPath)
        let longest = 0
        let last = Date.now()
        const timer = setInterval(() => {
          longest = Math.max(longest, Date.now() - last)
          last = Date.now()
        }, 10)
        const document = await vscode.workspace.openTextDocument(uri)
        await vscode.window.showTextDocument(document, { preview: false })
        await vscode.commands.executeCommand('vscode.executeFoldingRangeProvider', uri)
        await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri)
        await new Promise((resolve) => setTimeout(resolve, 3_000))
        clearInterval(timer)
        return longest
      }, at(large))
      // Other files are still checked while the large file is open.
      await open(lead)
      expect(await offered(lead, 3, 'disallowed-tools: [')).toContain('read_file')
      expect(longest).toBeLessThan(10_000)
    })
  })

  it.runIf(version === 'oldest')('is harmless if VS Code does not support contributed agents', async () => {
    const isActive = await code.host.run(
      (vscode) => vscode.extensions.getExtension('cadre.copilot-multi-agent').isActive as boolean,
    )
    expect(isActive).toBe(true)
  })

  describe.runIf(version === 'newest')('in agent mode', () => {
    it('has the built-in teams', async () => {
      const files = (await code.host.command('_listExtensionPromptFiles')) as {
        type: string
        extensionId: string
        uri: { path: string }
      }[]
      const ours = files.filter(({ extensionId }) => extensionId === 'cadre.copilot-multi-agent')
      expect(ours.map(({ uri }) => path.basename(uri.path, '.agent.md'))).toEqual(
        expect.arrayContaining(['coordinator', 'supervisor', 'researcher', 'builder']),
      )
    })

    it('lets the supervisor delegate, denies a worker what its role forbids, and requires its evidence', async () => {
      await workbench.enableCopilot()
      await until("Copilot's tools", () =>
        code.host.run((vscode) =>
          vscode.lm.tools.some(({ name }: { name: string }) => name === 'copilot_createFile'),
        ),
      )
      const evil = at('evil.txt')
      const report =
        '## Sources Examined\nAll.\n\n## Key Findings\nNone.\n\n## Recommended Next Agent\nbuilder\n'
      const artifact = at('.github/hooks/artifacts/researcher.md')
      mkdirSync(path.dirname(artifact), { recursive: true })
      code.model.play(
        {
          when: 'You supervise',
          replies: [
            {
              calls: [
                {
                  name: 'runSubagent',
                  input: { agentName: 'researcher', description: 'look', prompt: 'FIND the place' },
                },
              ],
            },
            { text: 'All is known.' },
          ],
        },
        {
          when: 'FIND the place',
          replies: [
            { calls: [{ name: 'create_file', input: { filePath: evil, content: 'x' } }] },
            { text: 'I am done.' },
            { calls: [{ name: 'create_file', input: { filePath: artifact, content: report } }] },
            { text: 'Now with evidence.' },
            { text: 'Now with evidence.' },
          ],
        },
      )
      const result = await code.host.command('workbench.action.chat.open', {
        query: 'Please do it',
        mode: 'supervisor',
        modelSelector: { vendor: 'scripted', id: 'scripted-one' },
        blockOnResponse: true,
      })
      const said = () =>
        code.model
          .requests()
          .map(
            ({ lane, messages }) => `${lane} ${JSON.stringify(messages.slice(-2).map(({ parts }) => parts))}`,
          )
      // VS Code asks a person before anything is written below `.github/hooks`, including the artifact.
      expect(result, said().join('\n')).toMatchObject({ type: 'confirmation', toolId: 'copilot_createFile' })
      await until('the end of the chat', async () => {
        if (existsSync(artifact)) return code.model.requests().at(-1)?.lane === 0
        await workbench.chat.confirm()
        return false
      })
      const texts = said()
      expect(texts.filter((text) => text.includes('Tool execution denied')).at(0)).toContain(
        'researcher may only write its artifact',
      )
      expect(existsSync(evil)).toBe(false)
      expect(texts.some((text) => text.startsWith('1') && text.includes('There is no report'))).toBe(true)
      expect(existsSync(artifact)).toBe(true)
      expect(texts.at(-1)).toContain('Now with evidence.')
    })
  })
})
