import { useState } from 'preact/hooks'
import { Notes } from './field.tsx'
import type { Problem, ToolGroup } from './protocol.ts'

type Kind = 'all' | 'none' | 'specific'

export interface PermissionProps {
  readonly id: string
  readonly label: string
  readonly kinds: Readonly<Record<Kind, string>>
  readonly kind: Kind
  readonly chosen: readonly string[]
  readonly groups: readonly ToolGroup[]
  /** Shows a search field, for long lists. */
  readonly canSearch: boolean
  readonly problems: readonly Problem[]
  readonly onChange: (kind: Kind, chosen: readonly string[]) => void
}

/** All, none or some of the options. Chosen options that no longer exist are shown as missing. */
export function Permission(props: PermissionProps) {
  const { id, label, kinds, kind, chosen, groups, canSearch, problems, onChange } = props
  const [wanted, setWanted] = useState('')
  const known = new Set(groups.flatMap(({ tools }) => tools.map(({ name }) => name)))
  const missing = chosen.filter((name) => !known.has(name))
  const gone = new Set(problems.flatMap(({ message }) => /"(.+)"/.exec(message)?.[1] ?? []))
  const fits = (text: string) => text.toLowerCase().includes(wanted.trim().toLowerCase())
  const shown = groups
    .map((group) => ({
      ...group,
      tools: group.tools.filter((tool) => fits(`${tool.name} ${tool.description}`)),
    }))
    .filter(({ tools }) => tools.length > 0)
  const count = shown.reduce((sum, { tools }) => sum + tools.length, 0)
  const toggle = (name: string, isChosen: boolean) =>
    onChange('specific', isChosen ? [...chosen, name] : chosen.filter((other) => other !== name))
  return (
    <fieldset
      class="field"
      id={id}
      tabIndex={-1}
      aria-describedby={problems.length > 0 ? `${id}-notes` : undefined}
    >
      <legend>{label}</legend>
      <div class="kinds">
        {(['all', 'none', 'specific'] as const).map((one) => (
          <label key={one} class="choice">
            <input
              type="radio"
              name={id}
              value={one}
              checked={kind === one}
              onChange={() => onChange(one, chosen)}
            />
            {kinds[one]}
          </label>
        ))}
      </div>
      {kind === 'specific' && (
        <div class="picker">
          {missing.length > 0 && (
            <fieldset class="plain" aria-label="Selected, but not available under this name">
              {missing.map((name) => (
                <label key={name} class="choice">
                  <input type="checkbox" checked onChange={() => toggle(name, false)} />
                  <span>
                    <code>{name}</code> {gone.has(name) && <span class="badge">missing</span>}
                  </span>
                </label>
              ))}
            </fieldset>
          )}
          {canSearch && (
            <div class="search">
              <label for={`${id}-search`}>Search tools</label>
              <input
                id={`${id}-search`}
                type="search"
                value={wanted}
                onInput={(event) => setWanted(event.currentTarget.value)}
              />
              <span class="hint" role="status">
                {count} shown, {chosen.length} chosen
              </span>
            </div>
          )}
          {groups.length === 0 && <p class="hint">There is no other agent yet.</p>}
          <div class="choices">
            {shown.map((group) => (
              <fieldset key={group.label} class="plain">
                <legend class={groups.length > 1 ? '' : 'unseen'}>{group.label}</legend>
                {group.tools.map((tool) => (
                  <label key={tool.name} class="choice">
                    <input
                      type="checkbox"
                      checked={chosen.includes(tool.name)}
                      onChange={(event) => toggle(tool.name, event.currentTarget.checked)}
                    />
                    <span>
                      <code>{tool.name}</code> <span class="hint">{tool.description}</span>
                    </span>
                  </label>
                ))}
              </fieldset>
            ))}
          </div>
        </div>
      )}
      <Notes id={`${id}-notes`} label={label} problems={problems} />
    </fieldset>
  )
}
