import type { Backend, BackendContext } from './backend.ts'
import { systemClock } from './pause.ts'

export interface CopilotMode {
  /** As it is written in `copilot.mode` or behind `@`, for those that are built in. */
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly description?: string
}

export interface CopilotModel {
  readonly name: string
  /** Tokens that fit into one request and its reply. */
  readonly window?: number
  readonly maxOutput?: number
  /** Premium requests for each turn. */
  readonly multiplier?: number
}

/** What the account that is signed in can use, or why it cannot be asked. */
export type CopilotOffer =
  | {
      readonly kind: 'offered'
      readonly models: readonly CopilotModel[]
      readonly modes: readonly CopilotMode[]
    }
  | { readonly kind: 'failed'; readonly reason: string }

/** A backend that can say what it offers. */
export interface CopilotBackend extends Backend {
  offer(): Promise<CopilotOffer>
  close(): Promise<void>
}

/** Asks the language server for models and modes, with a process of its own that ends afterwards. */
export async function askCopilot(context: Partial<BackendContext> = {}): Promise<CopilotOffer> {
  const { openCopilotLs } = await import('./copilot-ls/copilot-ls-backend.ts')
  const backend = await openCopilotLs({
    config: {},
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    random: Math.random,
    ...context,
  })
  try {
    return await backend.offer()
  } finally {
    await backend.close()
  }
}

/** The modes in which the server can hold a conversation; none when it cannot be asked. */
export async function listModes(context: Partial<BackendContext> = {}): Promise<readonly CopilotMode[]> {
  const offer = await askCopilot(context)
  return offer.kind === 'offered' ? offer.modes : []
}
