import { CommandHint } from '../../parts/command-hint.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural } from '../../parts/format.ts'
import { commandLine } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { hrefOf } from '../../shell/route.ts'
import { useStore } from '../../store/app-context.ts'

/** The conflicts if this workspace were merged now. */
export function OwnForecast({ id, version }: { readonly id: string; readonly version: string }) {
  const { client } = useStore()
  const answer = useAnswer((signal) => client.getForecast({ params: { id }, signal }), {
    of: [id],
    again: [version],
  })
  const found = answer.value?.with
  return (
    <>
      <h3>Conflict forecast</h3>
      <Fault answer={answer} />
      {found?.length === 0 && <p class="hint">No other workspace has changed the same files.</p>}
      <ul class="own-forecast">
        {found?.map(({ session, files, conflicts }) => (
          <li key={session} class={conflicts.length > 0 ? 'forecast-conflict' : ''}>
            {session === 'target' ? (
              'The target folder'
            ) : (
              <a href={hrefOf('workspaces', session)}>{visibleLine(session)}</a>
            )}
            {conflicts.length > 0 ? (
              <>
                : <strong>conflict</strong> in {visibleLine(conflicts.join(', '))}
              </>
            ) : (
              `: ${plural(files.length, 'common file')}, merges`
            )}
          </li>
        ))}
      </ul>
      <CommandHint command={commandLine('cadre', 'workspace', 'forecast', id)} />
    </>
  )
}
