import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTools } from '@cadre/tools'
import { expect, it } from 'vitest'
import { claudeTools, copilotTools, vscodeTools } from '../../packages/gate/src/hooks/host-tools.ts'

const tools = createTools()
const namesOf = (wanted: string) => tools.filter((tool) => tool.class === wanted).map(({ name }) => name)

it.each([
  ['claudeTools', claudeTools],
  ['copilotTools', copilotTools],
  ['vscodeTools', vscodeTools],
])('%s has a name for every tool that fetches, or shows or changes the content of files', (host, names) => {
  // Creating a directory changes no content. Claude Code and Copilot CLI have no tool for it.
  const wanted = tools
    .filter((tool) => /^(?:read|search|edit|web)$/.test(tool.class) || tool.address !== undefined)
    .map(({ name }) => name)
    .filter((name) => name !== 'create_directory')
  const missing = wanted.filter((name) => !Object.hasOwn(names, name))
  expect(missing, `add the tool to ${host} in packages/gate/src/hooks/host-tools.ts`).toEqual([])
  expect(wanted.length).toBeGreaterThan(5)
})

it('exported hooks recognise every tool that edits by its name', async () => {
  const script = path.join(import.meta.dirname, '../../packages/gate/hooks/scripts/tool-call.mjs')
  const { kindOf } = (await import(pathToFileURL(script).href)) as {
    readonly kindOf: (call: { readonly name: string; readonly input: object }) => string
  }
  const unknown = namesOf('edit').filter((name) => kindOf({ name, input: {} }) !== 'edit')
  expect(unknown, 'add the name to `edits` in packages/gate/hooks/scripts/tool-call.mjs').toEqual([])
})
