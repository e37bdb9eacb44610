const mcp = 'packages/protocols/src/mcp'
const acp = 'packages/protocols/src/acp'
const approvals = ['tests/mcp-server/approvals.test.ts']
const lifecycle = ['tests/mcp-server/lifecycle.test.ts']
const http = ['tests/mcp-server/http.test.ts']
const files = ['tests/acp/editor-files.test.ts']

/** Cadre as an MCP server and as an ACP agent: what programs and editors may do. */
export const protocolMutants = {
  tests: approvals,
  rows: [
    [
      'the MCP server over HTTP needs no token',
      `${mcp}/serve-mcp-http.ts`,
      'if (!isAuthorized(request, options.token))',
      'if (false)',
      http,
    ],
    [
      'a web page reaches the MCP server',
      `${mcp}/serve-mcp-http.ts`,
      ' || !isOwnOrigin(request, response)',
      '',
      http,
    ],
    [
      'a permission for one program applies to all',
      `${mcp}/host-permissions.ts`,
      "one === '*' || (name !== '' && one === name)",
      "one !== ''",
    ],
    [
      'a program decides approvals in the run of a person',
      `${mcp}/decide-for-host.ts`,
      'if (!isDelegated(record.root))',
      'if (false)',
    ],
    [
      'a program approves what a rule reserves for a person',
      `${mcp}/decide-for-host.ts`,
      "return isFirm && decision === 'approve'",
      'return false',
    ],
    [
      'a program cancels the run of a person',
      `${mcp}/delegated-runs.ts`,
      "if (state.kind === 'ended') return false\n      requireDelegated(id)",
      "if (state.kind === 'ended') return false",
    ],
    [
      'a form without a decision is an approval',
      `${mcp}/approval-form.ts`,
      "if (decision !== 'approve' && decision !== 'reject') return { decision: 'none' }",
      "if (decision !== 'approve' && decision !== 'reject') return { decision: 'approve' }",
      ['tests/mcp-server/forms.test.ts'],
    ],
    [
      'two callers start one run twice',
      `${mcp}/delegated-runs.ts`,
      'if (files.process(id)?.launched !== before?.launched || runningProcess(home, id) !== undefined) return\n',
      '',
      lifecycle,
    ],
    [
      'a program trusts a folder by a variable',
      `${mcp}/execute-delegated-run.ts`,
      'const io = withoutTrust(environment)',
      'const io = environment',
      lifecycle,
    ],
    [
      'an editor that does not answer trusts the folder',
      `${acp}/ask-trust.ts`,
      "outcome.outcome === 'selected' ? outcome.optionId : 'no'",
      "outcome.outcome === 'selected' ? outcome.optionId : 'once'",
      ['tests/acp/settings.test.ts'],
    ],
    [
      'an answer of an editor that was not offered counts',
      `${acp}/ask-in-editor.ts`,
      ' || !question.choices.includes(outcome.optionId)',
      '',
      ['tests/acp/session.test.ts'],
    ],
    [
      'an editor gets the files of the home',
      `${acp}/editor-documents.ts`,
      " && !file.split(/[\\\\/]/).includes('.cadre')",
      '',
      files,
    ],
    [
      'a file that the editor did not write is written by Cadre',
      `${acp}/editor-documents.ts`,
      'throw new Error(`The editor did not write',
      'return !String(`The editor did not write',
      files,
    ],
    [
      'a link in a prompt reads a file that the agent may not read',
      `${acp}/prompt-content.ts`,
      "if (verdict.kind === 'deny') return",
      'if (false) return',
      files,
    ],
    [
      'an answer of an editor that does not fit the form reaches the server',
      `${acp}/elicit-in-editor.ts`,
      'if (issues.length > 0)',
      'if (false)',
      ['tests/acp/elicitation.test.ts'],
    ],
  ],
}
