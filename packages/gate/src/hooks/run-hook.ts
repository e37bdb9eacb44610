import { setMaxListeners } from 'node:events'
import { devNull } from 'node:os'
import path from 'node:path'
import { type JsonObject, messageOf } from '@cadre/core'
import { expand } from './expand.ts'
import type { Hook } from './hook.ts'
import type { ProcessSlots } from './process-slots.ts'
import { runHookProcess } from './run-hook-process.ts'
import { changedScript } from './scripts-of.ts'

/** How a hook came to its end. */
export type HookEnd =
  /** `code` of an http hook is 0 for an answer of 200 to 299. */
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** It is not known what it would have said. */
  | {
      readonly kind: 'failed'
      readonly why: 'killed' | 'timeout' | 'start' | 'aborted' | 'changed'
      readonly reason: string
    }

export interface HookSurroundings {
  /** The folder in which hooks are run, and to which relative paths of theirs belong. */
  readonly project: string
  readonly userHome: string
  /** The environment of a program, without keys and tokens, with these variables added. */
  readonly environment: (extra: { readonly [name: string]: string }) => NodeJS.ProcessEnv
  readonly slots: ProcessSlots
  /** Further certificates to believe, for servers of one's own. */
  readonly certificates?: string | undefined
  /** How long a hook that is told to end may take before it is ended. */
  readonly graceMs?: number | undefined
}

// Python runs what it finds in a __pycache__ in the place of the script beside it, and agents may write there.
const quietly = { PYTHONPYCACHEPREFIX: devNull, PYTHONDONTWRITEBYTECODE: '1' }

/** Runs a hook with this payload. Never rejects. */
export async function runHook(
  hook: Hook,
  payload: JsonObject,
  surroundings: HookSurroundings,
  signal: AbortSignal,
): Promise<HookEnd> {
  const { slots, project, environment } = surroundings
  if (hook.barred !== undefined) return { kind: 'failed', why: 'changed', reason: hook.barred }
  // All calls of a session share its signal, and every hook of them listens: that is no leak.
  setMaxListeners(0, signal)
  if (!(await slots.take(signal))) return { kind: 'failed', why: 'aborted', reason: 'it was cancelled' }
  try {
    // An agent that may write the script of a hook could otherwise have anything run, outside of every sandbox.
    const changed = await changedScript(hook.scripts ?? [])
    if (changed !== undefined)
      return {
        kind: 'failed',
        why: 'changed',
        reason: `${changed}, so Cadre does not run it`,
      }
    const extra = {
      ...quietly,
      ...variablesOf(hook, environment({})),
      CLAUDE_PROJECT_DIR: project,
      CADRE_PROJECT_DIR: project,
    }
    const { action } = hook
    if (action.kind === 'http') {
      // Certificates and all: most runs have no such hook, and should not wait for it when they start.
      const { postHook } = await import('./post-hook.ts')
      return await postHook(hook, action, payload, surroundings, signal)
    }
    return await runHookProcess(
      {
        action,
        payload: JSON.stringify(payload),
        cwd: folderOf(hook, surroundings),
        environment: (input) => environment({ ...extra, COPILOT_HOOK_INPUT_PATH: input }),
        timeoutMs: hook.timeoutMs,
        graceMs: surroundings.graceMs ?? 5_000,
      },
      signal,
    )
  } catch (error) {
    return { kind: 'failed', why: 'start', reason: messageOf(error) }
  } finally {
    slots.give()
  }
}

/** The Copilot command puts variables into the values of `env`; only what a hook may see at all can be put there. */
function variablesOf({ env, dialect }: Hook, known: NodeJS.ProcessEnv): { readonly [name: string]: string } {
  if (dialect !== 'copilot') return env
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expand(value, known)]))
}

function folderOf({ cwd }: Hook, { project, userHome }: HookSurroundings): string {
  if (cwd === undefined) return project
  if (cwd === '~' || cwd.startsWith('~/')) return path.join(userHome, cwd.slice(1))
  return path.resolve(project, cwd.replaceAll(/\$\{?CLAUDE_PROJECT_DIR\}?/g, project))
}
