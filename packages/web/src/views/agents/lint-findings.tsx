import { CommandHint } from '../../parts/command-hint.tsx'
import { SeverityMark } from '../../parts/severity-mark.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import type { LintFile } from './agent-json.ts'

/** Findings in agent files. With `agent`: only in this agent's files. */
export function LintFindings({
  files,
  agent,
}: {
  readonly files: readonly LintFile[]
  readonly agent?: string
}) {
  const shown = files.filter(
    (file) =>
      (agent === undefined || file.agent === agent || (file.agents ?? []).includes(agent)) &&
      file.diagnostics.length > 0,
  )
  return (
    <section class="lint" aria-label="Lint findings">
      {shown.length === 0 && (
        <p class="hint">{agent === undefined ? 'No findings in agent files.' : 'No findings in its file.'}</p>
      )}
      {shown.map((file) => (
        <div key={file.path}>
          <h3>
            {visibleLine(file.path)} <span class="dim">{file.dialect}</span>
          </h3>
          <ul class="findings">
            {file.diagnostics.map(({ severity, code, message, line, fix }, at) => (
              <li key={at}>
                <SeverityMark severity={severity} /> {line !== undefined && `line ${line}: `}
                {visibleLine(message)} <span class="dim">{code}</span>
                {fix !== undefined && <p class="hint">{visibleLine(fix)}</p>}
              </li>
            ))}
          </ul>
        </div>
      ))}
      <CommandHint command="cadre lint" />
    </section>
  )
}
