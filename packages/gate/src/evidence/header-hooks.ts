import type { Json } from '@cadre/core'

type Script = 'security-check' | 'subagent-quality-gate'

/**
 * The shipped hooks for the header of an agent file. VS Code does not tell hooks in separate files whose call it is, but
 * runs header hooks only for their agent. The end of a worker is reported as Stop.
 */
export function headerHooks(isLead: boolean, hook: (script: Script) => Json): Json {
  const check = [hook('security-check')]
  const evidence = [hook('subagent-quality-gate')]
  return isLead
    ? { SessionStart: evidence, SubagentStart: evidence, PreToolUse: check }
    : { PreToolUse: check, Stop: evidence }
}

/** Runs a script from the root of the project. Exit code 2 denies the call: if the check cannot run, no tool can. */
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
