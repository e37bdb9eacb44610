import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { replaceQuery } from '../../shell/navigate.ts'
import { useStore } from '../../store/app-context.ts'
import type { AgentView, Explanation } from './agent-json.ts'
import { Verdict } from './verdict.tsx'
import { exampleInput, explainCommand, readInput } from './what-if-request.ts'

export interface WhatIfProps {
  readonly agent: AgentView
  readonly query: Readonly<Record<string, string>>
}

/** Explains what the gate would decide for any call by this agent. The call does not run. */
export function WhatIf({ agent, query }: WhatIfProps) {
  const { client } = useStore()
  const fields = useSignal({
    tool: query['tool'] ?? '',
    input: query['input'] ?? '',
    depth: query['depth'] ?? '',
  })
  const answer = useSignal<
    | { readonly kind: 'none' }
    | { readonly kind: 'busy' }
    | { readonly kind: 'fault'; readonly message: string }
    | { readonly kind: 'verdict'; readonly explanation: Explanation }
  >({ kind: 'none' })
  const { tool, input, depth } = fields.value
  const request = { agent: agent.name, tool, input, depth }
  const set = (changed: Partial<typeof fields.value>) => {
    fields.value = { ...fields.peek(), ...changed }
    // An old verdict next to a new call would be misleading.
    answer.value = { kind: 'none' }
  }
  const explain = async () => {
    const read = readInput(fields.peek().input)
    if (read.kind === 'fault') {
      answer.value = read
      return
    }
    const asked = fields.peek()
    answer.value = { kind: 'busy' }
    replaceQuery({
      tab: 'what-if',
      tool: asked.tool,
      ...(asked.input !== '' && { input: asked.input }),
      ...(asked.depth !== '' && { depth: asked.depth }),
    })
    const next = await client
      .explain({
        body: {
          agent: agent.name,
          tool: asked.tool,
          input: read.input,
          ...(asked.depth.trim() !== '' && { depth: asked.depth.trim() }),
        },
      })
      .then(
        (found) => ({ kind: 'verdict', explanation: found as unknown as Explanation }) as const,
        (error: unknown) =>
          ({ kind: 'fault', message: error instanceof Error ? error.message : String(error) }) as const,
      )
    if (fields.peek() === asked) answer.value = next
  }
  // A link to a call also shows its verdict.
  useEffect(() => {
    if (fields.peek().tool !== '') void explain()
  }, [agent.name])
  const { value } = answer
  const effect = agent.tools.find(({ name }) => name === tool)?.effect
  return (
    <section class="what-if" aria-label="What if">
      <p class="hint">
        See what the gate would decide for a call, with the rule and the reason. The call does not run.
      </p>
      <form
        class="task-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (tool.trim() !== '') void explain()
        }}
      >
        <label>
          Tool
          <input
            type="text"
            list="what-if-tools"
            required
            maxLength={200}
            value={tool}
            onInput={(event) => set({ tool: event.currentTarget.value })}
          />
          <datalist id="what-if-tools">
            {agent.tools.map(({ name, effect: kind }) => (
              <option key={name} value={name}>
                {kind}
              </option>
            ))}
          </datalist>
        </label>
        <label>
          Agents above <span class="dim">(leave empty for an entry agent)</span>
          <input
            type="text"
            maxLength={1000}
            placeholder="lead>builder, or a number"
            value={depth}
            onInput={(event) => set({ depth: event.currentTarget.value })}
          />
        </label>
        <label class="wide-field">
          Arguments <span class="dim">(JSON)</span>
          <textarea
            rows={3}
            spellcheck={false}
            placeholder={exampleInput(effect)}
            value={input}
            onInput={(event) => set({ input: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
              event.preventDefault()
              if (tool.trim() !== '') void explain()
            }}
          />
        </label>
        <div class="action wide-field">
          <button type="submit" class="primary" disabled={tool.trim() === '' || value.kind === 'busy'}>
            Explain <kbd>Ctrl Enter</kbd>
          </button>
          <CommandHint command={explainCommand(request)} />
        </div>
      </form>
      <div role="status">
        {value.kind === 'busy' && <p class="hint">Asking the gate…</p>}
        {value.kind === 'fault' && <p class="fault">{value.message}</p>}
        {value.kind === 'verdict' && <Verdict explanation={value.explanation} />}
      </div>
    </section>
  )
}
