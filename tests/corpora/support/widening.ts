import type { AgentDefinition } from '@cadre/core'
import { type CrudeHeader, type CrudeValue, crudeValues } from './crude-header.ts'

/** Returns how an agent may do more than its header says, judged by the crude reading alone; empty if it may not. */
export function wideningOf(
  agent: AgentDefinition,
  header: CrudeHeader,
  namesIn: 'value' | 'header',
): string[] {
  const faults: string[] = []
  const tools = crudeValues(header, /^(tools|allowed[-_]?tools)$/i)
  const takesSome = (agent.disallowedTools ?? []).length > 0
  if (
    agent.tools.kind === 'all' &&
    !tools.every((value) => permitsAll(value) || (takesSome && forbidsOnly(value)))
  )
    faults.push(`gets every tool, though its header says ${show(tools)}`)
  if (agent.tools.kind === 'list') {
    // A YAML template may name its tools capabilities; nothing else names tools.
    const values = [...tools, ...crudeValues(header, /^capabilities$/i)]
    const text = namesIn === 'value' ? values.map((value) => value.text).join('\n') : header.text
    const known = bare(text)
    // A backslash can escape any character.
    const invented = text.includes('\\')
      ? []
      : agent.tools.names.filter((name) => !known.includes(bare(name)))
    if (invented.length > 0) faults.push(`gets ${JSON.stringify(invented)}, which its header does not name`)
  }
  const getsNothing = agent.tools.kind === 'list' && agent.tools.names.length === 0
  const forbidden = crudeValues(header, /^disallowed[-_]?tools$/i).filter(namesSomething)
  const forbids = takesSome || (agent.permissions ?? []).some(({ action }) => action !== 'allow')
  if (forbidden.length > 0 && !forbids && !getsNothing) faults.push(`ignores ${show(forbidden)}`)
  const turns = crudeValues(header, /^max[-_]?turns$/i)
  if (turns.length > 0 && agent.limits?.maxTurns === undefined) faults.push(`ignores ${show(turns)}`)
  const targets = crudeValues(header, /^(sub)?agents$/i)
  if (targets.length > 0 && !targets.some(permitsAll) && (agent.delegates ?? { kind: 'all' }).kind === 'all')
    faults.push(`may start everybody, though its header says ${show(targets)}`)
  const hidden = crudeValues(header, /^user[-_]?invo[ck]able$/i)
  if (hidden.some(says('false')) && agent.userInvocable !== false) faults.push(`ignores ${show(hidden)}`)
  const alone = crudeValues(header, /^disable[-_]?model[-_]?invocation$/i)
  if (alone.some(says('true')) && agent.modelInvocable !== false) faults.push(`ignores ${show(alone)}`)
  return faults
}

/** A lone star, not a part of `github/*`. */
const permitsAll = ({ text }: CrudeValue) => /(^|[\s,[{"'])\*(?=$|[\s,\]}"':])/.test(text)
/** A map that denies every listed tool leaves the others. */
const forbidsOnly = ({ text }: CrudeValue) => /^\s*(\n\s+["']?[^\s"'*:]+["']?: false\s*)+$/.test(text)
const namesSomething = ({ text }: CrudeValue) => /^[^#\n]*\w/.test(text)
const says = (word: string) => (value: CrudeValue) => value.text.trim() === word
const show = (values: readonly CrudeValue[]) =>
  JSON.stringify(
    values
      .map(({ key, text }) => `${key}:${text}`.slice(0, 80))
      .join(' | ')
      .slice(0, 200),
  )

/** Without characters that quotes and line breaks add to a name. */
function bare(text: string): string {
  return text.replaceAll(/[\s'"]/g, '')
}
