import type { StoredSession, View } from '@cadre/core'
import type { Conversation, Runtime } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import type { RunDriver } from '../../run/create-run-driver.ts'
import type { ChatCommand } from './chat-commands.ts'
import type { ChatOutput } from './chat-output.ts'
import type { ChatScreen } from './chat-screen.ts'
import type { ChatStatus } from './chat-status.ts'
import type { EnteredLine, Input } from './input.ts'

/** The state of a running chat. */
export interface Chat {
  readonly io: Io
  readonly drive: RunDriver
  readonly runtime: Runtime
  readonly conversation: Conversation
  /** Throws if the session works in a folder that the person has not confirmed. */
  readonly check: (stored: StoredSession) => void
  readonly input: Input
  /** The input, if it is a terminal. */
  readonly screen: ChatScreen | undefined
  readonly status: ChatStatus
  /** The slash commands. More may be added, with unique names. */
  readonly commands: ChatCommand[]
  /** Lines typed while agents worked, to be handled when they have ended. */
  readonly queue: EnteredLine[]
  /** Messages in delivery to working agents. */
  readonly deliveries: Set<Promise<unknown>>
  /** Texts for the agent, sent with the next message. */
  readonly notes: string[]
  readonly output: ChatOutput
  /** The view of the last turn; empty before the first. */
  readonly seen: { view: View }
  isLeft: boolean
  /** The exit code of the last turn. */
  code: ExitCode
}
