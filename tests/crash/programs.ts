import type { QuestionId } from '@cadre/core'

/** How a program ended: with its result, or killed. */
export interface End {
  readonly kind: string
  readonly report?: {
    readonly status: string
    readonly text: string
    readonly usage: unknown
    readonly sessions: number
    readonly calls: number
  }
  readonly questions?: readonly QuestionId[]
  readonly approvals?: readonly { readonly id: string; readonly type: string; readonly status: string }[]
}

/** Does something in a home. All state from earlier calls is on disk. */
export type Play = (home: string, args: readonly string[]) => Promise<End>

export type Program = keyof typeof programs

export const programs = {
  team: async (): Promise<Play> => (await import('./team-program.ts')).play,
  approvals: async (): Promise<Play> => (await import('./approvals-program.ts')).play,
  messages: async (): Promise<Play> => (await import('./messages-program.ts')).play,
  tasks: async (): Promise<Play> => (await import('./tasks-program.ts')).play,
  votes: async (): Promise<Play> => (await import('./votes-program.ts')).play,
}
