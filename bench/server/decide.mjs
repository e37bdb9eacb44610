/**
 * The reply to a conversation: `{ calls: [{ name, args }] }` or `{ text }`. It depends only on the conversation, so that
 * any number of agents can be served without state.
 */
export function decide({ role, results }, settings) {
  switch (role.kind) {
    case 'lead':
      return results === 0
        ? { calls: delegations(role.size, settings) }
        : { text: `all done: ${results} results` }
    case 'worker':
      return results < role.size
        ? { calls: [{ name: 'probe', args: `{"i":${results}}` }] }
        : { text: 'worker done: every probe answered' }
    default:
      return { text: 'ok' }
  }
}

function delegations(n, { delegate, delegateArgs }) {
  return Array.from({ length: n }, (_, i) => ({
    name: delegate,
    args: delegateArgs.replaceAll('$I', String(i)),
  }))
}
