import type { ComponentChildren } from 'preact'
import { visibleLine } from '../../parts/show-hidden.ts'
import { hrefOf } from '../../shell/route.ts'
import type { AgentView } from './agent-json.ts'

/** What an agent may do, and where each value is set. The same facts as in `cadre agents show`. */
export function AgentFacts({ agent }: { readonly agent: AgentView }) {
  const { boundary, targets, model } = agent
  return (
    <div class="agent-facts">
      {agent.refused !== undefined && (
        <p class="outcome outcome-bad">
          A policy prevents this agent from starting: {visibleLine(agent.refused)}
        </p>
      )}
      <Table title={`Tools (${agent.tools.length})`} heads={['Tool', 'Effect', 'Granted by', 'From']}>
        {agent.tools.map(({ name, class: kind, effect, named, from }) => (
          <tr key={name}>
            <th scope="row">
              <code>{visibleLine(name)}</code>
            </th>
            <td>
              {effect} <span class="dim">({kind})</span>
            </td>
            <td>{named.length > 0 ? visibleLine(named.join(', ')) : 'all tools'}</td>
            <From text={from} />
          </tr>
        ))}
      </Table>
      {agent.tools.length === 0 && (
        <p class="hint">This agent has no tools, so it can only answer with text.</p>
      )}
      {agent.disallowed.length + agent.unavailable.length > 0 && (
        <Table title="Not available" heads={['Tool', 'Why', 'From']}>
          {agent.disallowed.map(({ name, by, from }) => (
            <tr key={`no ${name}`}>
              <th scope="row">
                <code>{visibleLine(name)}</code>
              </th>
              <td>removed by {visibleLine(by)}</td>
              <From text={from} />
            </tr>
          ))}
          {agent.unavailable.map(({ name, reason, from }) => (
            <tr key={`missing ${name}`}>
              <th scope="row">
                <code>{visibleLine(name)}</code>
              </th>
              <td>{unavailable[reason] ?? reason}</td>
              <From text={from} />
            </tr>
          ))}
        </Table>
      )}
      {agent.permissions.length > 0 && (
        <Table title="Permissions (the last match applies)" heads={['Tool', 'Pattern', 'Action', 'From']}>
          {agent.permissions.map(({ tool, pattern, action, from }, at) => (
            <tr key={at}>
              <th scope="row">
                <code>{visibleLine(tool)}</code>
              </th>
              <td>
                <code>{visibleLine(pattern)}</code>
              </td>
              <td>{action}</td>
              <From text={from} />
            </tr>
          ))}
        </Table>
      )}
      <Table title="Boundary and limits" heads={['Name', 'Value', 'From']}>
        <Row name="Writes" value={boundary.writes.value} from={boundary.writes.from} />
        <Row name="Commands" value={boundary.commands.value} from={boundary.commands.from} />
        {boundary.artifact !== undefined && <Row name="May write" value={boundary.artifact} from="" />}
        <Row name="Isolation" value={agent.isolation.value} from={agent.isolation.from} />
        {agent.limits.map(({ name, value, unit, from }) => (
          <Row key={name} name={name} value={`${value} ${unit}`} from={from} />
        ))}
        <Row
          name="People may start it"
          value={yes(agent.userInvocable.value)}
          from={agent.userInvocable.from}
        />
        <Row
          name="Agents may start it"
          value={yes(agent.modelInvocable.value)}
          from={agent.modelInvocable.from}
        />
        <Row
          name="Model"
          value={model.problem ?? model.used ?? (model.preferences.join(', ') || 'default')}
          from={model.from}
        />
        <Row name="Hooks" value={agent.hooks.value.join(', ') || 'none'} from={agent.hooks.from} />
        <Row
          name="MCP servers"
          value={agent.mcpServers.value.join(', ') || 'none'}
          from={agent.mcpServers.from}
        />
      </Table>
      <h3>May delegate to</h3>
      <dl class="facts">
        <dt>As entry agent</dt>
        <dd>
          <AgentLinks names={targets.entry} />
        </dd>
        <dt>As delegate</dt>
        <dd>
          <AgentLinks names={targets.delegated} />
        </dd>
        {targets.refused.map(({ name, reason }) => (
          <Refused key={name} name={name} reason={reason} />
        ))}
      </dl>
      {agent.handoffs.length > 0 && (
        <Table title="Handoffs" heads={['Label', 'Agent', 'From']}>
          {agent.handoffs.map(({ label, agent: to, exists, from }, at) => (
            <Row key={at} name={label} value={exists ? to : `${to} (does not exist)`} from={from} />
          ))}
        </Table>
      )}
    </div>
  )
}

const unavailable: Readonly<Record<string, string>> = {
  unknown: 'no tool has this name',
  elsewhere: "another program's tool, which Cadre does not have",
  server: 'its MCP server is not configured or not approved',
  'not-here': 'not available here',
  delegated: 'available only if another agent starts this agent',
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no'
}

interface TableProps {
  readonly title: string
  readonly heads: readonly string[]
  readonly children: ComponentChildren
}

function Table({ title, heads, children }: TableProps) {
  return (
    <>
      <h3>{title}</h3>
      <div class="table" role="region" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </>
  )
}

function Row({
  name,
  value,
  from,
}: {
  readonly name: string
  readonly value: string
  readonly from: string
}) {
  return (
    <tr>
      <th scope="row">{visibleLine(name)}</th>
      <td>{visibleLine(value)}</td>
      <From text={from} />
    </tr>
  )
}

function From({ text }: { readonly text: string }) {
  return <td class="dim">{visibleLine(text)}</td>
}

function Refused({ name, reason }: { readonly name: string; readonly reason: string }) {
  return (
    <>
      <dt>Not {visibleLine(name)}</dt>
      <dd>{visibleLine(reason)}</dd>
    </>
  )
}

function AgentLinks({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <>nobody</>
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <a href={hrefOf('agents', name)}>{visibleLine(name)}</a>
        </span>
      ))}
    </>
  )
}
