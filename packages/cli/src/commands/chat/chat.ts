import type { StoredSession, View } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import type { Drive } from '../../run/create-drive.ts'
import type { ChatOutput } from './chat-output.ts'
import type { Conversation } from './conversation.ts'
import type { Input } from './input.ts'

/** A chat under way, as everything that is said in it finds it. */
export interface Chat {
  readonly drive: Drive
  readonly runtime: Runtime
  readonly conversation: Conversation
  /** Throws for a session that works where this person has not said that it may. */
  readonly check: (stored: StoredSession) => void
  readonly input: Input
  readonly output: ChatOutput
  /** What happened in the last turn; empty before the first. */
  readonly seen: { view: View }
  isLeft: boolean
  /** Of the last turn. */
  code: ExitCode
}
