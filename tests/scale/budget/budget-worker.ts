// A worker process whose model bills every request to a file. It ends with its parent.
import { appendFileSync } from 'node:fs'
import { createOrchestrator, type Ledger, type Model } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createLedger, openHome, sessionIds } from '@cadre/home'
import { serveWorker } from '@cadre/restate'
import { endStoredSession, openLedgerStore } from '@cadre/runtime'
import { agentsOf, call, defineAgent, say } from '@cadre/testing'
import { countingTools } from '../../engine/tools.ts'

export interface BudgetWorkerConfig {
  readonly ingress: string
  readonly place: string
  /** The place that keeps the budgets. */
  readonly ledger: string
  readonly port: number
  /** Receives one line for each request that the model's server bills. */
  readonly bills: string
  readonly limits: Parameters<typeof createLedger>[0]
  readonly rounds: number
}

const config = JSON.parse(process.argv[2] as string) as BudgetWorkerConfig
const { ingress, place, port, bills, limits, rounds } = config
process.on('disconnect', () => process.exit())

const model: Model = {
  id: 'billing',
  capsReplies: true,
  maxOutput: 400,
  async reply(request, _hooks, signal) {
    const { system, messages, tools, maxOutput = Infinity } = request
    // At most one token per byte, and everything that it may write.
    const input = Math.floor(JSON.stringify([system, messages, tools]).length / 3)
    const usage = { input, output: Math.min(300, maxOutput) }
    appendFileSync(bills, `${JSON.stringify({ session: request.session, at: Date.now(), ...usage })}\n`)
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 60))
    if (signal.aborted) return { kind: 'failed', code: 'cancelled', message: 'cancelled' }
    const reply = request.round < rounds ? call(['look', { path: 'a' }]) : say('done')
    return { ...reply, usage }
  },
}

const home = openHome({ home: '/nowhere', cwd: '/', env: {} })
const store = openLedgerStore(home, { kind: 'restate', ingress, place, ledger: config.ledger })
await serveWorker({
  ingress,
  place,
  port,
  limits: { fresh: 1_000 },
  parts: {
    createOrchestrator: (engine) =>
      createOrchestrator({
        engine,
        models: { resolve: async () => ({ kind: 'found', model }) },
        agents: agentsOf([defineAgent({ name: 'lead' })]),
        tools: countingTools().tools,
        ledger: createLedger(limits, store.change, place) as Ledger,
        clock: systemClock,
        ids: sessionIds,
        emit: () => {},
      }),
    endSession: endStoredSession,
    clock: systemClock,
  },
})
process.send?.('ready')
