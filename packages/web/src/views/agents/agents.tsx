import { Command, CommandHint } from '../../parts/command-hint.tsx'
import { Fault } from '../../parts/fault.tsx'
import { SelectList } from '../../parts/select-list.tsx'
import { commandLine } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { type Answer, useAnswer } from '../../parts/use-answer.ts'
import { navigate } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'
import { AgentFacts } from './agent-facts.tsx'
import type { AgentRow, AgentView, LintFile } from './agent-json.ts'
import { LintFindings } from './lint-findings.tsx'
import { WhatIf } from './what-if.tsx'

/** The agents: what each may do, the problems in its file, and what the gate would decide. */
export function Agents({ id, query }: ViewProps) {
  const store = useStore()
  const list = useAnswer((signal) => store.client.listAgents({ signal }), {
    again: [store.versions.problems.value, store.versions.snapshot.value],
  })
  const lint = useAnswer((signal) => store.client.lint({ signal }), {
    again: [store.versions.problems.value, store.versions.snapshot.value],
  })
  const agents = (list.value?.items ?? []) as unknown as readonly AgentRow[]
  const files = (lint.value?.['files'] ?? []) as unknown as readonly LintFile[]
  const asked = (agents.find(({ entry }) => entry) ?? agents[0])?.name
  useCommands({ back: () => (id === undefined ? false : navigate('agents')) })
  return (
    <div class="split" data-loaded={list.value !== undefined}>
      <section class="split-list" aria-label="Agents">
        <div class="toolbar">
          <h1>Agents</h1>
          <CommandHint command="cadre agents list" />
        </div>
        <Fault answer={list} />
        {list.value !== undefined && agents.length === 0 ? (
          <p class="empty">
            No agents here. Add a team: <Command line="cadre init --team NAME" />
          </p>
        ) : (
          <SelectList
            label="Agents"
            count={agents.length}
            rowHeight={56}
            selected={agents.findIndex(({ name }) => name === id)}
            onSelect={(index) => navigate('agents', agents[index]?.name)}
            name={(index) => agents[index]?.name ?? ''}
            row={(index) => <AgentLine agent={agents[index] as AgentRow} />}
          />
        )}
      </section>
      {id === undefined ? (
        <section class="split-detail" aria-label="Findings">
          <h2>What if</h2>
          <p>
            Select an agent to see what it may do. Its “What if” tab explains what Cadre would decide for a
            call, without running it.
          </p>
          {asked !== undefined && (
            <p class="links">
              <a class="button" href={hrefOf('agents', asked, { tab: 'what-if' })}>
                Open What if for {visibleLine(asked)}
              </a>
            </p>
          )}
          <h2>Lint findings</h2>
          <Fault answer={lint} />
          {lint.value !== undefined && <LintFindings files={files} />}
        </section>
      ) : (
        <AgentDetail key={id} name={id} query={query} lint={lint} files={files} />
      )}
    </div>
  )
}

function AgentLine({ agent }: { readonly agent: AgentRow }) {
  return (
    <>
      <span class="select-line">
        <strong>{visibleLine(agent.name)}</strong>
        {agent.entry && <span class="dim"> entry agent</span>}
        {agent.refused !== undefined && <span class="severity severity-error"> ✕ may not start</span>}
        {agent.status !== 'ok' && <span class="severity severity-warning"> ▲ errors in its file</span>}
      </span>
      <span class="select-line dim">{visibleLine(agent.description ?? agent.source)}</span>
    </>
  )
}

interface AgentDetailProps {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
  readonly lint: Answer<unknown>
  readonly files: readonly LintFile[]
}

const tabs = [
  ['', 'May do'],
  ['what-if', 'What if'],
  ['lint', 'Findings'],
] as const

function AgentDetail({ name, query, lint, files }: AgentDetailProps) {
  const store = useStore()
  const answer = useAnswer((signal) => store.client.getAgent({ params: { name }, signal }), {
    of: [name],
    again: [store.versions.problems.value],
  })
  const agent = answer.value as unknown as AgentView | undefined
  const tab = tabs.find(([key]) => key === query['tab'])?.[0] ?? ''
  return (
    <section class="split-detail" aria-label="Selected agent" data-detail={name}>
      <h2>{visibleLine(name)}</h2>
      <Fault answer={answer} />
      {agent !== undefined && (
        <p class="dim">
          {visibleLine(agent.source.path)} · {agent.source.dialect}
        </p>
      )}
      {agent !== undefined && <p>{visibleLine(agent.description)}</p>}
      <CommandHint command={commandLine('cadre', 'agents', 'show', name)} />
      <nav class="links" aria-label="Agent">
        {tabs.map(([key, title]) => (
          <a
            key={key}
            class="button"
            href={hrefOf('agents', name, key === '' ? {} : { tab: key })}
            aria-current={tab === key ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {agent !== undefined && tab === '' && <AgentFacts agent={agent} />}
      {agent !== undefined && tab === 'what-if' && <WhatIf agent={agent} query={query} />}
      {tab === 'lint' && (
        <>
          <Fault answer={lint} />
          {lint.value !== undefined && <LintFindings files={files} agent={name} />}
        </>
      )}
    </section>
  )
}
