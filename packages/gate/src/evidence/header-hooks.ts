import type { Json } from '@cadre/core'

type Script = 'security-check' | 'subagent-quality-gate'

/**
 * The shipped hooks for the header of an agent file. VS Code tells a hook in a file of its own not whose call it is, and runs these for
 * this agent alone. The end of a worker is a Stop there.
 */
export function headerHooks(isLead: boolean, hook: (script: Script) => Json): Json {
  const check = [hook('security-check')]
  const evidence = [hook('subagent-quality-gate')]
  return isLead
    ? { SessionStart: evidence, SubagentStart: evidence, PreToolUse: check }
    : { PreToolUse: check, Stop: evidence }
}

/** Runs a script from the root of the project. Exit code 2 denies: without a check there is no tool. */
export function projectHook(script: Script, role: string): Json {
  const windows = `node .github\\hooks\\scripts\\${script}.mjs --agent ${role}`
  const isCheck = script === 'security-check'
  return {
    type: 'command',
    command: `node .github/hooks/scripts/${script}.mjs --agent ${role}${isCheck ? ' || exit 2' : ''}`,
    windows: isCheck ? `${windows}; if ($LASTEXITCODE -ne 0) { exit 2 }` : windows,
    timeout: 60,
  }
}
