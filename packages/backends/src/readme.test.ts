import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { askFor } from './ask.spec-helpers.ts'
import { actionKeys } from './scripted/compile-action.ts'
import { compilePlaybook } from './scripted/compile-playbook.ts'
import { parseYaml } from './scripted/parse-yaml.ts'
import { playScript } from './scripted/scripted-model.ts'

const readme = readFileSync(path.join(import.meta.dirname, '..', 'README.md'), 'utf8')
const examples = [...readme.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1] ?? '')

describe('the guide', () => {
  it.each(examples)('has working playbooks: %#', async (text) => {
    const { value, origin } = await parseYaml(text, 'README.md')
    const playbook = compilePlaybook(value, origin)
    const model = playScript(playbook, { id: 'scripted:README.md' })
    for (const agent of playbook.lanes.keys()) await askFor(model, { agent })
  })

  it('has some, and names every key of a step', () => {
    expect(examples.length).toBeGreaterThan(3)
    expect(actionKeys.filter((key) => !readme.includes(`\`${key}`))).toEqual([])
  })
})
