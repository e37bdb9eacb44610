import { describe, expect, it } from 'vitest'
import { expandServer, inputsOf } from './expand-server.ts'
import type { ServerConfig, VariableSyntax } from './server-config.ts'

const values = {
  env: { TOKEN: 'secret', EMPTY: '', $: 'x' },
  workspace: '/work/app',
  userHome: '/home/me',
  input: (id: string) => (id === 'key' ? 'typed' : undefined),
}

function expand(text: string, syntax: VariableSyntax): string | readonly string[] {
  const reach = { kind: 'program', command: 'x', args: [text], env: { A: text }, cwd: text } as const
  const expanded = expandServer({ reach, syntax } as unknown as ServerConfig, values)
  if (expanded.kind === 'unresolved') return expanded.references
  return expanded.reach.kind === 'program' ? (expanded.reach.args[0] ?? '') : ''
}

describe('references', () => {
  it.each<[syntax: VariableSyntax, text: string, expected: string | readonly string[]]>([
    ['claude', `\${TOKEN}`, 'secret'],
    ['claude', `a\${TOKEN}b`, 'asecretb'],
    ['claude', '$TOKEN', '$TOKEN'],
    ['claude', `\${MISSING}`, [`\${MISSING}`]],
    ['claude', `\${MISSING:-default}`, 'default'],
    ['claude', `\${EMPTY:-default}`, 'default'],
    ['claude', `\${env:TOKEN}`, [`\${env:TOKEN}`]],
    ['claude', `\${input:key}`, 'typed'],
    ['copilot', `$TOKEN/\${TOKEN}`, 'secret/secret'],
    ['copilot', '$MISSING', ['$MISSING']],
    ['copilot', 'cost: $5', 'cost: $5'],
    ['vscode', `\${workspaceFolder}/x`, '/work/app/x'],
    ['vscode', `\${workspaceFolderBasename}`, 'app'],
    ['vscode', `\${userHome}`, '/home/me'],
    ['vscode', `\${env:TOKEN}`, 'secret'],
    ['vscode', `\${TOKEN}`, [`\${TOKEN}`]],
    ['vscode', `\${input:other}`, [`\${input:other}`]],
    ['vscode', `\${constructor}`, [`\${constructor}`]],
    ['cadre', `\${workspaceFolder}/\${TOKEN}`, '/work/app/secret'],
    ['cadre', `\${constructor}`, [`\${constructor}`]],
    ['cadre', `\${}`, [`\${}`]],
    ['cadre', `\${A b}`, [`\${A b}`]],
  ])('%s: %s', (syntax, text, expected) => {
    expect(expand(text, syntax)).toEqual(expected)
  })

  it('are not replaced in a value that was just inserted', () => {
    const env = { A: `\${B}`, B: 'no' }
    const reach = { kind: 'program', command: `\${A}`, args: [], env: {} } as const
    expect(
      expandServer({ reach, syntax: 'claude' } as unknown as ServerConfig, { ...values, env }),
    ).toMatchObject({
      reach: { command: `\${B}` },
    })
  })

  it('to inputs are found in every part', () => {
    const reach = {
      kind: 'address',
      url: `https://\${input:a}`,
      headers: { x: `\${input:b} \${input:a}` },
    } as const
    expect(inputsOf({ reach })).toEqual(['a', 'b'])
  })
})
