import type { StoredSession, View } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import type { Drive } from '../../run/create-drive.ts'
import type { ChatCommand } from './chat-commands.ts'
import type { ChatOutput } from './chat-output.ts'
import type { ChatScreen } from './chat-screen.ts'
import type { ChatStatus } from './chat-status.ts'
import type { Conversation } from './conversation.ts'
import type { Entered, Input } from './input.ts'

/** A chat under way, as everything that is said in it finds it. */
export interface Chat {
  readonly io: Io
  readonly drive: Drive
  readonly runtime: Runtime
  readonly conversation: Conversation
  /** Throws for a session that works where this person has not said that it may. */
  readonly check: (stored: StoredSession) => void
  readonly input: Input
  /** The same as the input, at a terminal. */
  readonly screen: ChatScreen | undefined
  readonly status: ChatStatus
  /** What can be done with a slash. More may be added, under names of their own. */
  readonly commands: ChatCommand[]
  /** Lines that were typed while agents worked, and are to be carried out when they have ended. */
  readonly queue: Entered[]
  /** Messages to agents at work that are on their way. */
  readonly deliveries: Set<Promise<unknown>>
  /** What the agent gets to know with the next message. */
  readonly notes: string[]
  readonly output: ChatOutput
  /** What happened in the last turn; empty before the first. */
  readonly seen: { view: View }
  isLeft: boolean
  /** Of the last turn. */
  code: ExitCode
}
