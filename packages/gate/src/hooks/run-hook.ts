import { setMaxListeners } from 'node:events'
import { devNull } from 'node:os'
import path from 'node:path'
import { type JsonObject, messageOf } from '@cadre/core'
import { expandVariables } from './expand-variables.ts'
import type { Hook } from './hook.ts'
import type { ProcessSlots } from './process-slots.ts'
import { runHookProcess } from './run-hook-process.ts'
import { describeScriptChange } from './scripts-of.ts'

/** How a hook ended. */
export type HookEnd =
  /** For an http hook, `code` is 0 for status 200 to 299. */
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** Its answer is unknown. */
  | {
      readonly kind: 'failed'
      readonly why: 'killed' | 'timeout' | 'start' | 'aborted' | 'changed'
      readonly reason: string
    }

export interface HookEnvironment {
  /** The folder in which hooks run, and the base of their relative paths. */
  readonly project: string
  readonly userHome: string
  /** The environment of a program, without keys and tokens, with these variables added. */
  readonly environment: (extra: { readonly [name: string]: string }) => NodeJS.ProcessEnv
  readonly slots: ProcessSlots
  /** Additional trusted certificates, for your own servers. */
  readonly certificates?: string | undefined
  /** How long a hook may take to end after SIGTERM before it is killed. */
  readonly graceMs?: number | undefined
}

// Python runs the cached code in __pycache__ instead of the script, and agents may write there.
const quietEnvironment = { PYTHONPYCACHEPREFIX: devNull, PYTHONDONTWRITEBYTECODE: '1' }

/** Runs a hook with this payload. Never rejects. */
export async function runHook(
  hook: Hook,
  payload: JsonObject,
  surroundings: HookEnvironment,
  signal: AbortSignal,
): Promise<HookEnd> {
  const { slots, project, environment } = surroundings
  if (hook.denyReason !== undefined) return { kind: 'failed', why: 'changed', reason: hook.denyReason }
  // All hooks of a session listen to the same signal, which is not a leak.
  setMaxListeners(0, signal)
  if (!(await slots.take(signal))) return { kind: 'failed', why: 'aborted', reason: 'the hook was cancelled' }
  try {
    // Otherwise, an agent that can write the script of a hook could run anything outside the sandbox.
    const changed = await describeScriptChange(hook.scripts ?? [])
    if (changed !== undefined)
      return {
        kind: 'failed',
        why: 'changed',
        reason: `${changed}, so Cadre does not run the hook`,
      }
    const extra = {
      ...quietEnvironment,
      ...variablesOf(hook, environment({})),
      CLAUDE_PROJECT_DIR: project,
      CADRE_PROJECT_DIR: project,
    }
    const { action } = hook
    if (action.kind === 'http') {
      // Loaded lazily, with certificates: most runs have no such hook.
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

/** The Copilot CLI expands variables in the values of `env`; only variables visible to hooks are available. */
function variablesOf({ env, dialect }: Hook, known: NodeJS.ProcessEnv): { readonly [name: string]: string } {
  if (dialect !== 'copilot') return env
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expandVariables(value, known)]))
}

function folderOf({ cwd }: Hook, { project, userHome }: HookEnvironment): string {
  if (cwd === undefined) return project
  if (cwd === '~' || cwd.startsWith('~/')) return path.join(userHome, cwd.slice(1))
  return path.resolve(project, cwd.replaceAll(/\$\{?CLAUDE_PROJECT_DIR\}?/g, project))
}
