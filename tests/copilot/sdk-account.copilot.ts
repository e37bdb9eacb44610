import { answers } from '@cadre/testing'
import { describe, expect, it, vi } from 'vitest'
import { type Asked, type SdkWorldOptions, sdkWorld } from './support/sdk-world.ts'

const token = 'gho_tokenOfNobody1234567890'

/** The parts of GitHub that the runtime uses. */
const account: SdkWorldOptions = {
  model: 'copilot-sdk:gpt-5',
  config: { copilot: {} },
  env: (url) => ({ COPILOT_GITHUB_TOKEN: token, COPILOT_API_URL: url }),
  listing: answers.raw(
    [
      JSON.stringify({
        data: ['gpt-5', 'gpt-5-mini', 'claude-sonnet-4.5'].map((id) => ({
          id,
          name: id,
          object: 'model',
          model_picker_enabled: true,
          capabilities: {
            family: id,
            type: 'chat',
            limits: {
              max_context_window_tokens: 64_000,
              max_output_tokens: 8_000,
              max_prompt_tokens: 56_000,
            },
            supports: { tool_calls: true, streaming: true, parallel_tool_calls: true },
          },
          billing: { is_premium: true, multiplier: 1.5 },
          policy: { state: 'enabled', terms: '' },
          supported_endpoints: ['/chat/completions'],
        })),
      }),
    ],
    { headers: { 'content-type': 'application/json' } },
  ),
}

const lookThenEnd = ({ step }: Asked) =>
  step === 0
    ? answers.reply({ calls: [{ name: 'look', input: { path: 'a' } }], usage: { input: 10, output: 2 } })
    : answers.reply({ text: 'Done.', usage: { input: 20, output: 2 } })

describe('a Copilot account', () => {
  it('has models of a known size, and one premium request per turn', async () => {
    const world = await sdkWorld(lookThenEnd, account)
    expect(await world.models.resolve(undefined)).toMatchObject({
      kind: 'found',
      model: { id: 'copilot-sdk:gpt-5', window: 64_000, maxOutput: 8_000 },
    })
    expect(await world.report()).toMatchObject({
      status: 'completed',
      text: 'Done.',
      usage: { input: 30, output: 4, premium: 1.5 },
    })
    expect(world.wire.requests.map(({ path }) => path)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
    ])
    expect(world.wire.requests[0]?.headers.authorization).toBe(`Bearer ${token}`)
    expect(world.asked[0]?.agent).toBe('lead')
  })

  it('connects to no MCP server', async () => {
    const world = await sdkWorld(lookThenEnd, account)
    await world.report()
    expect(world.wire.requests.filter(({ path }) => path.includes('mcp'))).toEqual([])
    expect(world.asked.flatMap(({ tools }) => tools).filter((name) => name.includes('github'))).toEqual([])
  })

  it('suggests models similar to an unknown one', async () => {
    const world = await sdkWorld(lookThenEnd, account)
    expect(await world.models.resolve('copilot-sdk:gtp-5')).toMatchObject({
      kind: 'unknown',
      nearest: expect.arrayContaining(['copilot-sdk:gpt-5']),
      reason: 'your Copilot plan does not offer a model named "gtp-5".',
    })
  })

  it('is required if nobody is signed in', async () => {
    const world = await sdkWorld(lookThenEnd, { ...account, env: (url) => ({ COPILOT_API_URL: url }) })
    expect(await world.models.resolve(undefined)).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining(
        'signs in the language server only (copilot-ls:), but the SDK needs a token.',
      ),
    })
  })

  it('names the variable with an invalid token', async () => {
    // A proxy that is not reachable.
    const world = await sdkWorld(lookThenEnd, {
      ...account,
      env: (url) => ({ HTTPS_PROXY: new URL(url).origin, GH_TOKEN: 'ghp_wrong' }),
    })
    expect(await world.models.resolve(undefined)).toMatchObject({
      kind: 'unknown',
      unreachable: true,
      reason: expect.stringMatching(/^Copilot does not accept the token in GH_TOKEN\./),
    })
  })

  it('reports a rejected token, and never the token', async () => {
    const world = await sdkWorld(() => answers.problem(403, `no access with ${token}`), account)
    const report = await world.report()
    expect(report.status).toBe('error')
    expect(report.notices?.[0]?.message).toContain("was denied (HTTP 403). Check the account's subscription")
    expect(world.journals() + JSON.stringify(world.events)).not.toContain(token)
    // The runtime recorded the server's answers, and its session files are deleted.
    await vi.waitFor(() => expect(world.filesWith(token)).toEqual([]), { timeout: 60_000 })
  })
})
