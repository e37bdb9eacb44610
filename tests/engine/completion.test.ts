import { call, createTestTeam, fail, say, type TestTeam } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { countingTools } from './tools.ts'

const delegation = [
  'delegateWork',
  { agentName: 'worker', workDescription: 'work', reportExpectations: 'a report' },
] as const
const pair = [{ name: 'lead' }, { name: 'worker' }]

describe('the end of a session', () => {
  test('an entry session ends with a reply without calls', async () => {
    const team = createTestTeam({ agents: [{ name: 'solo' }], lanes: { solo: [say('the answer')] } })
    expect(await team.report({ agent: 'solo' })).toMatchObject({
      type: 'report',
      status: 'completed',
      text: 'the answer',
      agent: 'solo',
      usage: { input: 10, output: 5 },
      sessions: 1,
    })
  })

  test('a delegated session that only replies gets two nudges, then its last text is an incomplete report', async () => {
    const team = createTestTeam({
      agents: pair,
      lanes: { lead: [call(delegation), say('ok')], worker: [say('first'), say('second'), say('third')] },
    })
    const report = await team.report({ agent: 'lead' })
    team.models.verify()
    expect(report.status).toBe('completed')
    const seen = team.models.requests.at(-1)?.messages.at(-1)
    expect(seen?.content).toContain('worker did not finish')
    expect(seen?.content).toContain('third')
    const result = (await team.engine.read(report.session))?.entries.find(
      (entry) => entry.role === 'tool_result',
    )
    expect(result).toMatchObject({ outcome: 'failed', code: 'no_report' })
  })

  test('a nudged session that then reports is complete', async () => {
    const team = createTestTeam({
      agents: pair,
      lanes: {
        lead: [call(delegation), say('ok')],
        worker: [say('I did it'), call(['reportOut', { report: 'it is done' }])],
      },
    })
    await team.report({ agent: 'lead' })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('it is done')
    expect(
      team.models.requests
        .find((request) => request.round === 2 && request.agent === 'worker')
        ?.messages.at(-1)?.content,
    ).toContain('reportOut')
  })

  test('an empty reply gets one nudge, then it is an error and never a success', async () => {
    const team = createTestTeam({ agents: [{ name: 'solo' }], lanes: { solo: [say(''), say('  \n')] } })
    const report = await team.report({ agent: 'solo' })
    expect(report).toMatchObject({ status: 'error', notices: [{ code: 'agent_execution' }] })
  })

  const invisible = {
    'zero-width characters': '\u200b\u200c\u200d\u2060\ufeff',
    'control characters': '\u0000\u0007\u001b\u0085',
    'format characters': '\u00ad\u200e\u202e\u2066',
    'variation selectors': '\ufe0f\u{e0100}\u180b',
    'Hangul fillers': '\u3164\u115f\u1160\uffa0',
    'braille blanks and wide spaces': '\u2800\u3000\u00a0',
    'tags and lone surrogates': '\u{e0041}\ud800',
  }

  test.each(Object.entries(invisible))('a reply of %s is empty', async (_, text) => {
    const team = createTestTeam({ agents: [{ name: 'solo' }], lanes: { solo: [say(text), say(text)] } })
    const report = await team.report({ agent: 'solo' })
    expect(report).toMatchObject({ status: 'error', text: '' })
    team.models.verify()
  })

  test.each(Object.entries(invisible))('rejects a report of %s', async (_, text) => {
    const team = createTestTeam({
      agents: pair,
      lanes: {
        lead: [call(delegation), say('ok')],
        worker: [call(['reportOut', { report: text }]), call(['reportOut', { report: 'did it' }])],
      },
    })
    await team.report({ agent: 'lead' })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('did it')
    team.models.verify()
  })

  test.each(['👍', '…', '한', '\u2801'])('a reply of %j is not empty', async (text) => {
    const team = createTestTeam({ agents: [{ name: 'solo' }], lanes: { solo: [say(text)] } })
    expect(await team.report({ agent: 'solo' })).toMatchObject({ status: 'completed', text })
  })

  test('calls after reportOut do not start, calls before it do', async () => {
    const { done, tools } = countingTools()
    const team = createTestTeam({
      agents: pair,
      tools,
      lanes: {
        lead: [call(delegation), say('ok')],
        worker: [
          call(['note', { text: 'before' }], ['reportOut', { report: 'r' }], ['note', { text: 'behind' }]),
        ],
      },
    })
    await team.report({ agent: 'lead' })
    expect(done).toEqual(['note before'])
  })

  test('an entry session has no reportOut, and a delegated one always has it', async () => {
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'worker', tools: { kind: 'list', names: [] } }],
      lanes: {
        lead: [call(['reportOut', { report: 'no' }]), call(delegation), say('ok')],
        worker: [call(['reportOut', { report: 'yes' }])],
      },
    })
    const report = await team.report({ agent: 'lead' })
    expect(
      (await team.engine.read(report.session))?.entries.filter((entry) => entry.role === 'tool_result'),
    ).toMatchObject([{ outcome: 'refused', code: 'agent' }, { content: expect.stringContaining('yes') }])
    expect(
      team.models.requests.find((request) => request.agent === 'worker')?.tools.map((tool) => tool.name),
    ).toEqual(['reportOut'])
  })
})

describe('required sections', () => {
  const worker = { name: 'worker', requiredSections: ['Verdict', 'Evidence'] }
  test('a report is sent back with the missing sections, and accepted when it is complete', async () => {
    const team = createTestTeam({
      agents: [{ name: 'lead' }, worker],
      lanes: {
        lead: [call(delegation), say('ok')],
        worker: [
          call(['reportOut', { report: '## Verdict\nPASS' }]),
          call(['reportOut', { report: '## Verdict\nPASS\n\n## Evidence\nran it' }]),
        ],
      },
    })
    await team.report({ agent: 'lead' })
    expect(
      team.models.requests.filter((request) => request.agent === 'worker')[1]?.messages.at(-1)?.content,
    ).toContain('lacks these sections: Evidence')
    const ended = team.events.find(
      (event) => event.type === 'session.ended' && event.report.agent === 'worker',
    )
    expect(ended).toMatchObject({
      report: { status: 'completed', sections: { Verdict: 'PASS', Evidence: 'ran it' } },
    })
  })

  test('after three times it is incomplete', async () => {
    const bad = call(['reportOut', { report: 'all good' }])
    const team = createTestTeam({
      agents: [{ name: 'lead' }, worker],
      lanes: { lead: [call(delegation), say('ok')], worker: [bad, bad, bad, bad] },
    })
    await team.report({ agent: 'lead' })
    team.models.verify()
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('worker did not finish')
  })

  test('a heading inside a code fence, or without content, is not a section', async () => {
    const bad = call([
      'reportOut',
      { report: '```\n## Verdict\nx\n## Evidence\ny\n```\n## Verdict\n\n## Evidence\n' },
    ])
    const team = createTestTeam({
      agents: [{ name: 'lead' }, worker],
      lanes: { lead: [call(delegation), say('ok')], worker: [bad, bad, bad, bad] },
    })
    await team.report({ agent: 'lead' })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('did not finish')
  })
})

describe('failures', () => {
  test('a failing child never fails its parent', async () => {
    const team = createTestTeam({
      agents: pair,
      lanes: { lead: [call(delegation), say('I did it myself')], worker: [fail('the model is on fire')] },
    })
    const report = await team.report({ agent: 'lead' })
    expect(report).toMatchObject({ status: 'completed', text: 'I did it myself' })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('the model is on fire')
  })

  test('a child with an unknown model is an outcome that suggests the nearest ones', async () => {
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'worker', models: ['gpt-nonsense'] }],
      lanes: { lead: [call(delegation), say('alone then')] },
    })
    await team.report({ agent: 'lead' })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toMatch(/gpt-nonsense.*scripted/)
  })

  test('the plain model answers for an entry agent that cannot start, with a notice', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo', models: ['broken'] }],
      lanes: { solo: [fail('no such backend')], plain: [say('plainly')] },
      model: { catalogue: ['scripted', 'broken'] },
    })
    const report = await team.report({ agent: 'solo' })
    expect(report).toMatchObject({ status: 'completed', text: 'plainly' })
    expect(report.notices?.[0]?.message).toMatch(
      /solo could not start .*no such backend.*the model answered alone/,
    )
  })

  const noTools = {
    kind: 'failed',
    code: 'tools_unsupported',
    message: 'small does not support tools',
  } as const

  test('the same model answers alone for an entry agent whose model rejects tools', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo', models: ['small'] }, { name: 'other' }],
      lanes: { solo: [noTools], plain: [say('plainly')] },
      model: { catalogue: ['scripted', 'small'] },
    })
    const report = await team.report({ agent: 'solo' })
    expect(report).toMatchObject({ agent: 'plain', status: 'completed', text: 'plainly', model: 'small' })
    expect(report.notices?.[0]?.message).toMatch(
      /solo could not start .*does not support tools.*the model answered alone/,
    )
    expect(team.models.requests.at(-1)).toMatchObject({ agent: 'plain', system: '', tools: [] })
  })

  test('a model known to have no tools gets no request with tools', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo' }, { name: 'other' }],
      lanes: { solo: [say('never asked')], plain: [say('plainly')] },
      model: { supportsTools: false },
    })
    const report = await team.report({ agent: 'solo' })
    expect(report).toMatchObject({ text: 'plainly', notices: [{ code: 'agent_execution' }] })
    expect(team.models.requests.map(({ agent }) => agent)).toEqual(['plain'])
  })

  test('a model without tools serves an agent that needs none', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: { solo: [say('alone')] },
      model: { supportsTools: false },
    })
    expect(await team.report({ agent: 'solo' })).toMatchObject({ agent: 'solo', text: 'alone' })
  })

  test('the plain model answers in the tree of the agent that could not start, which is owned meanwhile', async () => {
    const refused: unknown[] = []
    const team: TestTeam = createTestTeam({
      agents: [{ name: 'solo', models: ['broken'] }],
      lanes: {
        solo: [fail('no such backend')],
        plain: [
          async () => {
            await team.orchestrator.resume('solo-1', {}, signal).catch((error) => refused.push(error.code))
            return say('plainly')
          },
          say('more'),
        ],
      },
      model: { catalogue: ['scripted', 'broken'] },
    })
    const signal = new AbortController().signal
    const { session } = await team.report({ agent: 'solo' })
    expect(refused).toEqual(['owned'])
    const { spec } = (await team.engine.read(session)) ?? {}
    expect([spec?.root, spec?.parent]).toEqual(['solo-1', undefined])
    // It can still be continued as a separate session.
    expect(await team.orchestrator.resume(session, {}, signal)).toMatchObject({ report: { text: 'plainly' } })
    expect(await team.orchestrator.resume(session, { work: 'and?' }, signal)).toMatchObject({
      report: { session, text: 'more' },
    })
  })

  test('if there is no other model, the failure itself is the report', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: { solo: [fail('unreachable endpoint')] },
    })
    expect(await team.report({ agent: 'solo' })).toMatchObject({
      status: 'error',
      notices: [{ code: 'backend', message: 'unreachable endpoint' }],
    })
  })

  test('unknown targets are omitted, with a notice', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo', delegates: { kind: 'list', names: ['ghost'] } }],
      lanes: { solo: [say('alone')] },
    })
    const report = await team.report({ agent: 'solo' })
    expect(report.notices?.[0]).toMatchObject({
      code: 'delegation',
      message: expect.stringContaining('ghost'),
    })
    expect(team.models.requests[0]?.system).toBe('You are solo.')
  })

  test('a model that throws, against its contract, is a failure and not a crash', async () => {
    const team = createTestTeam({
      agents: pair,
      lanes: {
        lead: [call(delegation), say('ok')],
        worker: [
          () => {
            throw new Error('bad adapter')
          },
        ],
      },
    })
    expect(await team.report({ agent: 'lead' })).toMatchObject({ status: 'completed' })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('bad adapter')
  })
})
