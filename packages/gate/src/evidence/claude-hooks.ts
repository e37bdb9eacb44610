import type { WantedHook } from '@cadre/agents'

const scripts = '.github/hooks/scripts'

/**
 * The shipped hooks as entries for the settings of Claude Code, which runs them in its current folder. Copilot CLI and VS
 * Code can read them too. Exit code 2 denies the call: if the check cannot run, no tool can.
 */
export const claudeHooks: readonly WantedHook[] = [
  hook('SessionStart', 'subagent-quality-gate'),
  hook('PreToolUse', 'security-check', ' || exit 2'),
  hook('SubagentStart', 'subagent-quality-gate'),
  hook('SubagentStop', 'subagent-quality-gate'),
  hook('Stop', 'subagent-quality-gate'),
]

function hook(event: string, name: string, otherwise = ''): WantedHook {
  const script = `${scripts}/${name}.mjs`
  const command = `node "\${CLAUDE_PROJECT_DIR:-.}/${script}"${otherwise}`
  return { event, mark: script, entry: { hooks: [{ type: 'command', command, timeout: 60 }] } }
}
