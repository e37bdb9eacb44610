import type { JudgedCall, SessionSpec, Tool } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { allowsMore } from './allows-more.ts'
import { type ClaudeRule, readRule } from './claude-rule.ts'
import { createPermissionsRule } from './create-permissions-rule.ts'
import { permissionAllowance } from './permission-allowance.ts'
import { readPermissions } from './read-permissions.ts'

const address = ({ url }: { url: string }) => url
const webFetch = { name: 'web_fetch', class: 'web', effect: 'outbound', origin: 'built-in', address }
const httpGet = { ...webFetch, name: 'http_get' }
const slackSend = { name: 'slack_send', class: 'message', effect: 'outbound', origin: 'built-in' }

const callOf = (tool: object, url: string) =>
  ({ tool: tool as Tool, input: { url } }) as unknown as JudgedCall
const ruleOf = (decision: ClaudeRule['decision'], text: string) =>
  readRule(text, decision, 'settings.json:1', 'user') as ClaudeRule
const decisionOf = (rule: ClaudeRule, call: JudgedCall) => {
  const { judge } = createPermissionsRule({ rules: [rule], lost: [] } as never)
  return (judge(call, {} as SessionSpec, new AbortController().signal) as { kind?: string } | undefined)?.kind
}

describe('a rule that restricts fetching covers every tool that fetches', () => {
  it.each(['WebFetch(domain:evil.example)', 'WebFetch'])('%s', (text) => {
    const deny = ruleOf('deny', text)
    for (const tool of [webFetch, httpGet]) {
      expect(decisionOf(deny, callOf(tool, 'https://evil.example/a'))).toBe('deny')
      expect(decisionOf(deny, callOf(tool, 'https://sub.evil.example/a'))).toBe('deny')
    }
    expect(decisionOf(deny, callOf(slackSend, 'https://evil.example/a'))).toBeUndefined()
  })

  it('but only for its host', () => {
    const deny = ruleOf('deny', 'WebFetch(domain:evil.example)')
    expect(decisionOf(deny, callOf(httpGet, 'https://docs.example/a'))).toBeUndefined()
  })
})

describe('an address without a host could be any host', () => {
  it.each(['nonsense', 'evil.example', 'evil.example:443', 'file:///evil.example', ''])('%j', (url) => {
    const text = 'WebFetch(domain:evil.example)'
    expect(decisionOf(ruleOf('deny', text), callOf(httpGet, url))).toBe('deny')
    expect(decisionOf(ruleOf('ask', text), callOf(httpGet, url))).toBe('ask')
    for (const domain of ['evil.example', '*', '*.example']) {
      const rules = [ruleOf('allow', `WebFetch(domain:${domain})`)]
      const places = { locate: () => undefined }
      const find = permissionAllowance({ rules, project: '/p', userHome: '/h', places })
      expect(find(callOf(webFetch, url), '/p')).toBeUndefined()
    }
  })
})

it.each(['evil.example:443', 'EVIL.example.', '*.evil.example', 'https://evil.example/', 'ev?l.example'])(
  'WebFetch(domain:%s) restricts every spelling of the host, and allows none',
  (domain) => {
    const text = `WebFetch(domain:${domain})`
    for (const url of ['https://evil.example./', 'https://me@EVIL.example:8443/', 'https://evil%2Eexample/'])
      expect(decisionOf(ruleOf('deny', text), callOf(httpGet, url)), url).toBe('deny')
    expect(decisionOf(ruleOf('deny', text), callOf(httpGet, 'https://docs.example/'))).toBeUndefined()
    const find = permissionAllowance({
      rules: [ruleOf('allow', text)],
      project: '/p',
      userHome: '/h',
      places: { locate: () => undefined },
    })
    expect(find(callOf(webFetch, 'https://evil.example/'), '/p')).toBeUndefined()
  },
)

it.each(['*', '*.*.example', 'docs*.example', 'docs.example.', 'docs.example:443'])(
  'an allow rule for %s allows nothing, and is reported',
  (domain) => {
    const text = `WebFetch(domain:${domain})`
    expect(allowsMore(ruleOf('allow', text))).toBe(false)
    const settings = JSON.stringify({ permissions: { allow: [text] } })
    const { diagnostics } = readPermissions({ path: 'settings.json', text: settings, level: 'project' })
    expect(diagnostics).toMatchObject([{ message: expect.stringContaining(`${text} allows nothing`) }])
  },
)

it('an allow rule for the hosts below a host allows only those', () => {
  const rules = [ruleOf('allow', 'WebFetch(domain:*.docs.example)')]
  const places = { locate: () => undefined }
  const find = permissionAllowance({ rules, project: '/p', userHome: '/h', places })
  expect(find(callOf(webFetch, 'https://a.docs.example/'), '/p')).toBe(rules[0])
  for (const host of ['docs.example', 'evil-docs.example', 'a.docs.example.evil.test'])
    expect(find(callOf(webFetch, `https://${host}/`), '/p')).toBeUndefined()
})

it('a rule with a host that cannot be read asks about every call', () => {
  const deny = ruleOf('deny', 'WebFetch(domain:a b)')
  expect(decisionOf(deny, callOf(webFetch, 'https://docs.example/'))).toBe('ask')
})

it('a rule that allows WebFetch does not allow other tools that fetch', () => {
  const places = { locate: () => undefined }
  for (const text of ['WebFetch(domain:docs.example)', 'WebFetch']) {
    const rules = [ruleOf('allow', text)]
    const find = permissionAllowance({ rules, project: '/p', userHome: '/h', places })
    expect(find(callOf(webFetch, 'https://docs.example/a'), '/p')).toBe(rules[0])
    expect(find(callOf(httpGet, 'https://docs.example/a'), '/p')).toBeUndefined()
  }
})
