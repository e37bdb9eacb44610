import type { ProblemItem } from '@cadre/api'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural } from '../../parts/format.ts'
import { SelectList } from '../../parts/select-list.tsx'
import { SeverityMark } from '../../parts/severity-mark.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { navigate, replaceQuery } from '../../shell/navigate.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'

const severities = ['error', 'warning', 'info'] as const

/** All problems in the home's files, with their location and a fix. */
export function Problems({ id, query }: ViewProps) {
  const store = useStore()
  const answer = useAnswer((signal) => store.client.listProblems({ signal }), {
    again: [store.versions.problems.value, store.versions.snapshot.value],
  })
  const all = answer.value?.items ?? []
  const wanted = severities.find((name) => name === query['severity'])
  const items = all
    .filter(({ severity }) => wanted === undefined || severity === wanted)
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  const at = items.findIndex((item) => nameOf(item) === id)
  const current = items[at]
  useCommands({ back: () => (id === undefined ? false : navigate('problems', undefined, query)) })
  return (
    <div
      class={current === undefined ? 'split split-single' : 'split'}
      data-loaded={answer.value !== undefined}
    >
      <section class="split-list" aria-label="Problems">
        <div class="toolbar">
          <h1>Problems</h1>
          <label class="inline-field">
            Severity
            <select
              value={wanted ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                replaceQuery(value === '' ? {} : { severity: value })
              }}
            >
              <option value="">all</option>
              {severities.map((severity) => (
                <option key={severity} value={severity}>
                  {severity}
                </option>
              ))}
            </select>
          </label>
          <span class="dim">{answer.value !== undefined && plural(items.length, 'problem')}</span>
          <CommandHint command="cadre status" />
        </div>
        <Fault answer={answer} />
        {answer.value !== undefined && items.length === 0 ? (
          <p class="empty">
            {all.length > 0
              ? 'No problem has this severity.'
              : 'No problems. If a task, an agent file or the configuration has an error, it appears here with its line.'}
          </p>
        ) : (
          <SelectList
            label="Problems"
            count={items.length}
            rowHeight={56}
            selected={at}
            onSelect={(index) => navigate('problems', nameOf(items[index]), query)}
            row={(index) => <ProblemLine problem={items[index] as ProblemItem} />}
          />
        )}
      </section>
      {current !== undefined && (
        <section class="split-detail" aria-label="Selected problem">
          <h2>
            <SeverityMark severity={current.severity} /> {visibleLine(placeOf(current))}
          </h2>
          <p>{visibleLine(current.message)}</p>
          {current.fix !== undefined && (
            <>
              <h3>Fix</h3>
              <p>{visibleLine(current.fix)}</p>
            </>
          )}
          {current.code !== undefined && <p class="dim">{visibleLine(current.code)}</p>}
          <p class="hint">Edit and save the file. When the problem is fixed, it disappears from this list.</p>
        </section>
      )}
    </div>
  )
}

function ProblemLine({ problem }: { readonly problem: ProblemItem }) {
  return (
    <>
      <span class="select-line">
        <SeverityMark severity={problem.severity} /> <strong>{visibleLine(placeOf(problem))}</strong>
      </span>
      <span class="select-line dim">{visibleLine(problem.message)}</span>
    </>
  )
}

function placeOf({ file, line }: ProblemItem): string {
  return line === undefined ? file : `${file}:${line}`
}

/** A problem has no id, so its location and its message identify it. */
function nameOf(problem: ProblemItem | undefined): string | undefined {
  return problem && `${placeOf(problem)} ${problem.message.slice(0, 80)}`
}
