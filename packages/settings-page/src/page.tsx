import { useEffect, useRef, useState } from 'preact/hooks'
import { AgentForm } from './agent-form.tsx'
import { AgentList } from './agent-list.tsx'
import { Confirmation } from './confirmation.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { duplicateAgent, moveAgent } from './edit.ts'
import { sentenceOf } from './field.tsx'
import { FirstAgentDialog } from './first-agent-dialog.tsx'
import { isSaveKey } from './is-save-key.ts'
import { OtherAgents } from './other-agents.tsx'
import { configurationOf, levelOf } from './page-view.ts'
import type { Configuration, Level, Problem } from './protocol.ts'
import { useStore } from './store.ts'
import { agentOf, placeOf, problemsAt, visibleProblems } from './visible-problems.ts'
import { postMessage } from './webview-api.ts'

type Question =
  | { readonly kind: 'delete' }
  | { readonly kind: 'discard'; readonly then: () => void; readonly text: string }

export function Page() {
  const { view, dispatch } = useStore()
  const [question, setQuestion] = useState<Question>()
  const summary = useRef<HTMLDivElement>(null)
  const { state, draft, selected, problems, tried, hasConflict, message } = view
  const preventing = problems.filter(({ prevents }) => prevents)
  const isRefused = tried && preventing.length > 0
  useEffect(() => {
    if (isRefused) summary.current?.focus()
  }, [isRefused])
  const saveNow = useRef<() => void>(undefined)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isSaveKey(event)) return
      event.preventDefault()
      saveNow.current?.()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  if (state === undefined) return <p role="status">Loading the agents…</p>

  const configuration = configurationOf(view)
  const own = levelOf(view)
  const shown = visibleProblems({ problems, configuration, level: own, tried })
  const errors = shown.filter(({ prevents }) => prevents).length
  const ofWhole = shown.filter((problem) => agentOf(problem) === undefined)
  const isMended = own !== undefined && own.problems.length > 0
  const canSave = draft !== undefined || isMended
  const edit = (changed: Configuration, select?: number, focus?: boolean) =>
    dispatch({
      type: 'edited',
      configuration: changed,
      ...(select !== undefined && { select }),
      ...(focus && { focus }),
    })
  const save = () => {
    dispatch({ type: 'saving' })
    const stamp = draft?.stamp ?? own?.stamp ?? ''
    postMessage({ type: 'save', draft: { level: view.level, configuration, stamp }, overwrite: false })
  }
  // While a question is open, nothing is saved.
  saveNow.current = canSave && question === undefined && !view.asksStart ? save : undefined
  /** Asks first if edits would be lost. */
  const unlessEdited = (text: string, then: () => void) => {
    if (draft === undefined) then()
    else setQuestion({ kind: 'discard', text, then })
  }
  const hasAgents = configuration.agents.length > 0
  return (
    <>
      <header>
        <h1>Agent settings</h1>
        <div class="buttons">
          <button type="button" onClick={() => postMessage({ type: 'import' })}>
            Import…
          </button>
          <button
            type="button"
            disabled={!hasAgents}
            onClick={() => postMessage({ type: 'export', configuration, to: 'json' })}
          >
            Export JSON…
          </button>
          <button
            type="button"
            disabled={!hasAgents}
            onClick={() => postMessage({ type: 'export', configuration, to: 'files' })}
          >
            Export agent files…
          </button>
          <button type="button" onClick={() => postMessage({ type: 'openJson', level: view.level })}>
            Open settings.json
          </button>
          <button type="button" onClick={() => postMessage({ type: 'refreshTools' })}>
            Refresh tools
          </button>
          <button
            type="button"
            disabled={own?.configuration === undefined}
            onClick={() =>
              unlessEdited('Resetting discards your unsaved changes.', () => {
                dispatch({ type: 'discarded' })
                postMessage({ type: 'reset', level: view.level })
              })
            }
          >
            Reset…
          </button>
        </div>
      </header>
      <main>
        <div class="bar">
          <div class="field">
            <label for="level">Level</label>
            <select
              id="level"
              value={view.level}
              onChange={(event) => {
                const level = event.currentTarget.value as Level
                event.currentTarget.value = view.level
                unlessEdited('Showing another level discards your unsaved changes.', () =>
                  dispatch({ type: 'level', level }),
                )
              }}
            >
              {state.levels.map(({ level, label }) => (
                <option key={level} value={level}>
                  {label}
                  {state.used === level ? ' (in use)' : ''}
                </option>
              ))}
            </select>
          </div>
          {hasAgents && (
            <div class="field">
              <label for="entryAgent">Entry agent (answers @agents)</label>
              <select
                id="entryAgent"
                value={configuration.entryAgent}
                aria-invalid={problemsAt(shown, 'entryAgent').length > 0}
                onChange={(event) => edit({ ...configuration, entryAgent: event.currentTarget.value })}
              >
                {!configuration.agents.some(({ name }) => name === configuration.entryAgent) && (
                  <option value={configuration.entryAgent}>
                    {configuration.entryAgent || 'Choose one'} (missing)
                  </option>
                )}
                {configuration.agents.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
          )}
          <div class="buttons">
            <button type="button" class="primary" onClick={save} disabled={!canSave}>
              Save
            </button>
            <button
              type="button"
              disabled={draft === undefined}
              onClick={() =>
                unlessEdited('This discards your unsaved changes.', () => dispatch({ type: 'discarded' }))
              }
            >
              Discard changes
            </button>
            <span role="status" class="hint">
              {draft === undefined ? saveMessage(errors) : 'Not saved yet.'}
            </span>
          </div>
        </div>
        {!state.isTrusted && (
          <p class="box warning">
            Restricted Mode: agents in this workspace are not used, and only your user settings can be
            changed.
          </p>
        )}
        {own?.isOld && draft === undefined && (
          <div class="box warning">
            <p>These agents are stored in an older format. Cadre uses them as shown here.</p>
            <div class="buttons">
              <button type="button" onClick={save}>
                Convert to the new format
              </button>
            </div>
          </div>
        )}
        {draft === undefined && (isMended || ofWhole.length > 0) && !isRefused && (
          <div class="box warning">
            {ofWhole.map((problem) => (
              <p key={problem.path + problem.message}>
                {placeOf(problem, [])}: {sentenceOf('', problem).trim()}
              </p>
            ))}
            {isMended && (
              <p>Some of these settings are not valid. Save replaces them with the values shown here.</p>
            )}
          </div>
        )}
        {hasConflict && (
          <div class="box warning" role="alert">
            <p>
              The settings at this level were changed outside this page while you edited them. Your changes
              are not saved yet, and nothing is lost.
            </p>
            <div class="buttons">
              <button type="button" onClick={() => dispatch({ type: 'rebased' })}>
                Keep my changes
              </button>
              <button type="button" onClick={() => dispatch({ type: 'discarded' })}>
                Use the current settings
              </button>
            </div>
          </div>
        )}
        {isRefused && (
          <div class="box error" role="alert" tabIndex={-1} ref={summary}>
            <p>
              <strong>Not saved.</strong> Correct {preventing.length === 1 ? 'this' : 'these'} first:
            </p>
            <ul>
              {preventing.map((problem) => (
                <li key={problem.path + problem.message}>
                  <button type="button" class="link" onClick={() => goTo(problem)}>
                    {placeOf(
                      problem,
                      configuration.agents.map(({ name }) => name),
                    )}
                  </button>
                  : {sentenceOf('', problem).trim()}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div
          role="status"
          class={message === undefined ? 'quiet' : `box ${message.isError ? 'error' : 'info'}`}
        >
          {message?.text}
        </div>
        <div class="columns">
          <AgentList
            configuration={configuration}
            selected={selected}
            problems={shown}
            templates={state.templates}
            max={state.limits.agents}
            onSelect={(index) => dispatch({ type: 'selected', index })}
            onAdd={() => dispatch({ type: 'adding' })}
            onTemplate={(id) => postMessage({ type: 'template', id })}
          />
          {hasAgents ? (
            <AgentForm
              configuration={configuration}
              index={selected}
              state={state}
              problems={shown}
              preview={view.preview}
              focusName={view.focusName}
              onChange={edit}
              onMove={(by) => edit(moveAgent(configuration, selected, by), selected + by)}
              onDuplicate={() => edit(duplicateAgent(configuration, selected), selected + 1, true)}
              onDelete={() => setQuestion({ kind: 'delete' })}
            />
          ) : (
            <section class="form" aria-label="No agents">
              <p>
                This level defines no agents.{' '}
                {state.entry === undefined ? '' : `${state.entry} answers @agents now.`} Add an agent or a
                team template, or customize the built-in team below.
              </p>
            </section>
          )}
        </div>
        <OtherAgents
          state={state}
          onCustomize={() => postMessage({ type: 'template', id: 'coordinator' })}
          onOpen={(id) => postMessage({ type: 'openFile', id })}
          onCopy={(id) => postMessage({ type: 'copyFile', id })}
        />
      </main>
      {view.asksStart && (
        <FirstAgentDialog
          team={state.builtIn.agents.map(({ name }) => name)}
          onStart={(from) => dispatch({ type: 'started', from })}
          onClose={() => dispatch({ type: 'started' })}
        />
      )}
      {question?.kind === 'delete' && (
        <DeleteDialog
          configuration={configuration}
          index={selected}
          isSet={own?.configuration !== undefined}
          onRemoveAll={() => {
            setQuestion(undefined)
            dispatch({ type: 'discarded' })
            if (own?.configuration !== undefined) postMessage({ type: 'reset', level: view.level })
          }}
          onDelete={(changed) => {
            setQuestion(undefined)
            edit(changed)
          }}
          onClose={() => setQuestion(undefined)}
        />
      )}
      {question?.kind === 'discard' && (
        <Confirmation
          title="Discard your changes?"
          actions={[
            {
              label: 'Discard',
              onChoose: () => {
                setQuestion(undefined)
                question.then()
              },
            },
          ]}
          onClose={() => setQuestion(undefined)}
        >
          <p>{question.text}</p>
        </Confirmation>
      )}
    </>
  )

  function goTo(problem: Problem): void {
    const index = agentOf(problem)
    if (index !== undefined) dispatch({ type: 'selected', index })
    const [, field = problem.path === 'entryAgent' ? 'entryAgent' : 'name'] =
      /^agents\[\d+\]\.(\w+)/.exec(problem.path) ?? []
    requestAnimationFrame(() => document.getElementById(field)?.focus())
  }
}

function saveMessage(errors: number): string {
  if (errors === 0) return 'All changes are saved.'
  return `The settings have ${errors} ${errors === 1 ? 'error' : 'errors'}.`
}
