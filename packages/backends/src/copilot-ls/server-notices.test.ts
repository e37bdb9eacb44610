import { describe, expect, it } from 'vitest'
import { ServerNotices } from './server-notices.ts'

describe('notices', () => {
  const premium = (percentRemaining: number) => ({
    premium_interactions: { percentRemaining, quota: 300, resetDate: '2030-01-02T00:00:00Z' },
  })

  it('are shown once per state', () => {
    const board = new ServerNotices()
    const told: string[] = []
    board.notified('copilot/quotaChange', premium(50))
    board.notified('copilot/quotaChange', premium(20))
    board.notified('copilot/quotaChange', premium(19))
    board.listen((code, message) => told.push(`${code} ${message}`))
    board.notified('copilot/quotaChange', premium(9))
    board.notified('copilot/quotaChange', premium(8))
    board.notified('copilot/quotaChange', premium(0))
    board.notified('$/copilot/rateLimitWarning', { message: 'Slow down.' })
    board.notified('$/copilot/rateLimitWarning', { message: 'Slow down.' })
    board.notified('window/logMessage', { message: 'noise' })
    expect(told).toEqual([
      'copilot_premium you have used 75% of the premium requests in your Copilot plan. Your quota renews on 2030-01-02.',
      'copilot_premium you have used 90% of the premium requests in your Copilot plan. Your quota renews on 2030-01-02.',
      'copilot_premium you have used all of the premium requests in your Copilot plan. Your quota renews on 2030-01-02.',
      'copilot_rate_limit Slow down.',
    ])
  })

  it('are passed to one of several callers', () => {
    const board = new ServerNotices()
    const told: string[] = []
    const stop = board.listen(() => told.push('first'))
    board.listen(() => told.push('second'))
    board.notified('copilot/quotaWarning', { message: 'Low.' })
    stop()
    board.notified('copilot/quotaWarning', { message: 'Lower.' })
    expect(told).toEqual(['first', 'second'])
  })

  it('are not shown for a plan without a limit', () => {
    const board = new ServerNotices()
    const told: string[] = []
    board.listen((code) => told.push(code))
    board.notified('copilot/quotaChange', {
      premium_interactions: { percentRemaining: 0, unlimited: true, quota: -1 },
    })
    board.notified('copilot/quotaChange', { copilotPlan: 'enterprise' })
    expect(told).toEqual([])
  })
})
