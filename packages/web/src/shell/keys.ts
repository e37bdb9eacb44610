/** The command for a key. Views implement commands; see `useCommands`. */
export type Command =
  | 'down'
  | 'up'
  | 'close'
  | 'open'
  | 'first'
  | 'last'
  | 'pageDown'
  | 'pageUp'
  | 'enter'
  | 'back'
  | 'previousWaiting'
  | 'nextWaiting'
  | 'approve'
  | 'approveSession'
  | 'confirm'
  | 'reject'
  | 'filter'
  | 'palette'
  | 'follow'
  | 'create'
  | 'forward'
  | 'backward'
  | 'raise'
  | 'lower'
  | 'help'
  | 'goRuns'
  | 'goWaiting'
  | 'goTasks'
  | 'goProblems'
  | 'goTimeline'
  | 'goWorkspaces'
  | 'goAgents'
  | 'goAudit'
  | 'goSearch'

export interface KeyPress {
  readonly key: string
  readonly ctrl?: boolean
  readonly meta?: boolean
  readonly alt?: boolean
  /** True if the focus is in a text field. */
  readonly inText?: boolean
  /** True if the focus is on something that Enter or Space activates. */
  readonly onControl?: boolean
}

const single: Readonly<Record<string, Command>> = {
  j: 'down',
  ArrowDown: 'down',
  k: 'up',
  ArrowUp: 'up',
  h: 'close',
  ArrowLeft: 'close',
  l: 'open',
  ArrowRight: 'open',
  Home: 'first',
  End: 'last',
  PageDown: 'pageDown',
  PageUp: 'pageUp',
  Enter: 'enter',
  Escape: 'back',
  '[': 'previousWaiting',
  ']': 'nextWaiting',
  a: 'approve',
  A: 'approveSession',
  y: 'confirm',
  r: 'reject',
  '/': 'filter',
  n: 'create',
  '>': 'forward',
  '<': 'backward',
  '+': 'raise',
  '-': 'lower',
  '.': 'follow',
  '?': 'help',
}

const afterG: Readonly<Record<string, Command>> = {
  r: 'goRuns',
  w: 'goWaiting',
  t: 'goTasks',
  p: 'goProblems',
  l: 'goTimeline',
  s: 'goWorkspaces',
  a: 'goAgents',
  u: 'goAudit',
  f: 'goSearch',
}

/** The page's list of keys: the keys to press, and what they do. */
export const keyList: readonly (readonly [keys: string, what: string])[] = [
  ['j k ↓ ↑', 'Move down, up'],
  ['l h → ←', 'Open, close'],
  ['Home End PgUp PgDn', 'Jump'],
  ['Enter', 'Show the selected item'],
  ['Esc', 'Go back, or close a dialog'],
  ['[ ]', 'Previous or next pending approval'],
  ['a', 'Approve once. If the risk is HIGH, press y to confirm'],
  ['A', 'Approve for the rest of the session'],
  ['r', 'Reject with a reason'],
  ['/', 'Filter'],
  ['n', 'New task'],
  ['< >', "Change the task's state"],
  ['+ -', "Raise or lower the task's priority"],
  ['Ctrl-K or ⌘K', 'Find a command or a session'],
  ['g r · g w · g t · g p', 'Go to runs, waiting, tasks or problems'],
  ['g l · g s · g a · g u · g f', 'Go to timeline, workspaces, agents, audit or search'],
  ['.', 'Follow the newest entries'],
  ['?', 'Show this list'],
]

/**
 * Turns key presses into commands. `g` waits for the next key. While the focus is in a text field, only Escape and the palette's key
 * have an effect.
 */
export function createKeyReader(): (press: KeyPress) => Command | undefined {
  let afterPrefix = false
  return ({ key, ctrl = false, meta = false, alt = false, inText = false, onControl = false }) => {
    const wasPrefixed = afterPrefix
    afterPrefix = false
    if ((ctrl || meta) && !alt && key.toLowerCase() === 'k') return 'palette'
    if (ctrl || meta || alt) return undefined
    if (inText) return key === 'Escape' ? 'back' : undefined
    if (wasPrefixed) return Object.hasOwn(afterG, key) ? afterG[key] : undefined
    if (key === 'g') {
      afterPrefix = true
      return undefined
    }
    if (onControl && (key === 'Enter' || key === ' ')) return undefined
    return Object.hasOwn(single, key) ? single[key] : undefined
  }
}
