import { addAgent, addAgents, emptyAgent, isEqual } from './edit.ts'
import type {
  Configuration,
  Draft,
  Level,
  LevelState,
  PageState,
  Preview,
  Problem,
  ToPage,
} from './protocol.ts'

/** What the page keeps while it is hidden. */
export interface PersistedView {
  readonly draft?: Draft
  readonly selected: number
}

/** The state of the page. */
export interface PageView {
  readonly state?: PageState
  readonly level: Level
  /** Unsaved edits; absent if the saved settings are shown. */
  readonly draft?: Draft
  readonly selected: number
  readonly problems: readonly Problem[]
  readonly preview?: Preview
  /** The user has tried to save, so problems of untouched fields are shown too. */
  readonly tried: boolean
  /** The settings of this level have changed since the draft started. */
  readonly hasConflict: boolean
  readonly message?: { readonly text: string; readonly isError: boolean }
  /** Incremented to move the focus to the name of the selected agent. */
  readonly focusName: number
  /** The first agent in the settings would replace the built-in team, so the user chooses what to start with. */
  readonly asksStart: boolean
}

export type Action =
  | { readonly type: 'received'; readonly message: ToPage }
  | {
      readonly type: 'edited'
      readonly configuration: Configuration
      readonly select?: number
      readonly focus?: boolean
    }
  | { readonly type: 'adding' }
  /** The answer to what the settings start with; absent to change nothing. */
  | { readonly type: 'started'; readonly from?: 'built-in' | 'nothing' }
  | { readonly type: 'selected'; readonly index: number }
  | { readonly type: 'level'; readonly level: Level }
  | { readonly type: 'discarded' }
  /** The edits replace the changed settings. */
  | { readonly type: 'rebased' }
  | { readonly type: 'saving' }

const empty: Configuration = { entryAgent: '', agents: [] }

export function levelOf({ state, level }: PageView): LevelState | undefined {
  return state?.levels.find((one) => one.level === level)
}

/** The edited configuration: the draft, or the saved one. */
export function configurationOf(view: PageView): Configuration {
  return view.draft?.configuration ?? levelOf(view)?.configuration ?? empty
}

export function initialView(kept: PersistedView | undefined): PageView {
  const { draft, selected = 0 } = kept ?? {}
  const level = draft?.level ?? 'user'
  return {
    level,
    ...(draft && { draft }),
    selected,
    problems: [],
    tried: false,
    hasConflict: false,
    focusName: 0,
    asksStart: false,
  }
}

export function reduceView(view: PageView, action: Action): PageView {
  switch (action.type) {
    case 'received':
      return receive(view, action.message)
    case 'edited':
      return edit(view, action.configuration, action)
    case 'adding':
      return startAgent(view)
    case 'started':
      return start({ ...view, asksStart: false }, action.from)
    case 'selected':
      return { ...view, selected: action.index }
    case 'level': {
      const { draft: _, preview: __, message: ___, ...rest } = view
      return { ...rest, level: action.level, selected: 0, tried: false, hasConflict: false, problems: [] }
    }
    case 'discarded': {
      const { draft: _, message: __, ...rest } = view
      return clampSelection({ ...rest, tried: false, hasConflict: false, problems: [] })
    }
    case 'rebased': {
      const stamp = levelOf(view)?.stamp
      if (view.draft === undefined || stamp === undefined) return view
      return { ...view, draft: { ...view.draft, stamp }, hasConflict: false }
    }
    case 'saving':
      return { ...view, tried: true }
  }
}

function edit(
  view: PageView,
  configuration: Configuration,
  { select = view.selected, focus = false }: { readonly select?: number; readonly focus?: boolean } = {},
): PageView {
  const { draft: before, message: _, ...rest } = view
  const own = levelOf(view)
  const focusName = view.focusName + (focus ? 1 : 0)
  // Edited back to the saved settings, so nothing is left to save.
  if (!view.hasConflict && own?.configuration && isEqual(own.configuration, configuration))
    return clampSelection({ ...rest, selected: select, focusName })
  const draft: Draft = { level: view.level, configuration, stamp: before?.stamp ?? own?.stamp ?? '' }
  return clampSelection({ ...rest, draft, selected: select, focusName })
}

function startAgent(view: PageView): PageView {
  const before = configurationOf(view)
  if (before.agents.length === 0 && view.state?.builtIn.isUsed) return { ...view, asksStart: true }
  return addEmpty(view, before)
}

function start(view: PageView, from: 'built-in' | 'nothing' | undefined): PageView {
  const { builtIn } = view.state ?? {}
  if (from === undefined || builtIn === undefined) return view
  const before = configurationOf(view)
  return addEmpty(view, from === 'nothing' ? before : addAgents(before, builtIn.agents, builtIn.entry))
}

function addEmpty(view: PageView, before: Configuration): PageView {
  const after = addAgent(before, emptyAgent('new-agent'))
  return edit(view, after, { select: before.agents.length, focus: true })
}

function clampSelection(view: PageView): PageView {
  const last = Math.max(0, configurationOf(view).agents.length - 1)
  return { ...view, selected: Math.min(view.selected, last) }
}

function receive(view: PageView, message: ToPage): PageView {
  switch (message.type) {
    case 'state':
      return applyState(view, message.state, message.draft)
    case 'checked': {
      const { preview: _, ...rest } = view
      return { ...rest, problems: message.problems, ...(message.preview && { preview: message.preview }) }
    }
    case 'saved': {
      const { draft: _, ...rest } = view
      const text = 'Saved. The changes apply from the next request.'
      return {
        ...applyState(rest, message.state, undefined),
        tried: false,
        message: { text, isError: false },
      }
    }
    case 'conflict':
      return { ...view, hasConflict: true }
    case 'refused':
      return { ...view, problems: message.problems, tried: true }
    case 'agents': {
      const before = configurationOf(view)
      const configuration = addAgents(before, message.agents, message.entry)
      const count = message.agents.length === 1 ? '1 agent was' : `${message.agents.length} agents were`
      return {
        ...edit(view, configuration, { select: before.agents.length }),
        message: { text: `${count} added from ${message.from}. Save to use them.`, isError: false },
      }
    }
    case 'newAgent':
      return startAgent(view)
    case 'message':
      return { ...view, message: { text: message.text, isError: message.isError } }
  }
}

/** Edits are never replaced by settings that changed outside: the user decides. */
function applyState(view: PageView, state: PageState, kept: Draft | undefined): PageView {
  const isFirst = view.state === undefined
  const draft = view.draft ?? (isFirst ? kept : undefined)
  const preferred = draft?.level ?? (isFirst ? (state.used ?? defaultLevel(state)) : view.level)
  const level = state.levels.some((one) => one.level === preferred) ? preferred : 'user'
  const next: PageView = { ...view, state, level, ...(draft && { draft }) }
  const stamp = levelOf(next)?.stamp
  return clampSelection({ ...next, hasConflict: draft !== undefined && draft.stamp !== stamp })
}

function defaultLevel({ levels }: PageState): Level {
  return levels.some(({ level }) => level === 'workspace') ? 'workspace' : 'user'
}
