import type { ComponentType } from 'preact'
import type { Command } from '../shell/keys.ts'
import type { ViewName } from '../shell/route.ts'

export interface ViewProps {
  readonly id: string | undefined
  readonly query: Readonly<Record<string, string>>
}

export interface ViewEntry {
  readonly name: ViewName
  readonly title: string
  /** The command that opens the view, and its keys. Views without a command are not in the navigation. */
  readonly command?: Command
  readonly keys?: string
  /** What a person can do in the view, for the palette. */
  readonly hint: string
  readonly load: () => Promise<ComponentType<ViewProps>>
}

/** All views, in the order of the navigation. Each is loaded when it is first shown. */
export const views: readonly ViewEntry[] = [
  {
    name: 'runs',
    title: 'Runs',
    command: 'goRuns',
    keys: 'g r',
    hint: 'See a live tree of all sessions',
    load: async () => (await import('./runs/runs.tsx')).Runs,
  },
  {
    name: 'waiting',
    title: 'Waiting',
    command: 'goWaiting',
    keys: 'g w',
    hint: 'Decide pending approvals and interrupted calls',
    load: async () => (await import('./waiting/waiting.tsx')).Waiting,
  },
  {
    name: 'tasks',
    title: 'Tasks',
    command: 'goTasks',
    keys: 'g t',
    hint: 'See tasks as a board or a list, and change them',
    load: async () => (await import('./tasks/tasks.tsx')).Tasks,
  },
  {
    name: 'timeline',
    title: 'Timeline',
    command: 'goTimeline',
    keys: 'g l',
    hint: 'See when sessions and calls ran, and the remaining budget',
    load: async () => (await import('./timeline/timeline.tsx')).Timeline,
  },
  {
    name: 'workspaces',
    title: 'Workspaces',
    command: 'goWorkspaces',
    keys: 'g s',
    hint: 'See, merge and roll back changes, and predict conflicts',
    load: async () => (await import('./workspaces/workspaces.tsx')).Workspaces,
  },
  {
    name: 'agents',
    title: 'Agents',
    command: 'goAgents',
    keys: 'g a',
    hint: 'See what each agent may do, and what the gate would decide',
    load: async () => (await import('./agents/agents.tsx')).Agents,
  },
  {
    name: 'problems',
    title: 'Problems',
    command: 'goProblems',
    keys: 'g p',
    hint: 'See errors in files, with line numbers and fixes',
    load: async () => (await import('./problems/problems.tsx')).Problems,
  },
  {
    name: 'audit',
    title: 'Audit',
    command: 'goAudit',
    keys: 'g u',
    hint: 'See all decisions, who made them and why',
    load: async () => (await import('./audit/audit.tsx')).Audit,
  },
  {
    name: 'search',
    title: 'Search',
    command: 'goSearch',
    keys: 'g f',
    hint: 'Find text in sessions, tasks, approvals and memory',
    load: async () => (await import('./search/search.tsx')).Search,
  },
  {
    name: 'sessions',
    title: 'Session',
    hint: 'Read a conversation, and message or cancel its session',
    load: async () => (await import('./session/session.tsx')).Session,
  },
]
