import type { RequestedHook } from '@cadre/agents'

const scripts = '.github/hooks/scripts'

/**
 * The shipped hooks as entries for Claude Code's settings, which runs them in its current folder. Copilot CLI and VS
 * Code can read them too. Exit code 2 denies the call: if the check cannot run, no tool can.
 */
export const claudeHooks: readonly RequestedHook[] = [
  hook('SessionStart', 'subagent-quality-gate'),
  hook('PreToolUse', 'security-check', ' || exit 2'),
  hook('SubagentStart', 'subagent-quality-gate'),
  hook('SubagentStop', 'subagent-quality-gate'),
  hook('Stop', 'subagent-quality-gate'),
]

function hook(event: string, name: string, otherwise = ''): RequestedHook {
  const script = `${scripts}/${name}.mjs`
  const command = `node "\${CLAUDE_PROJECT_DIR:-.}/${script}"${otherwise}`
  return { event, mark: script, entry: { hooks: [{ type: 'command', command, timeout: 60 }] } }
}
