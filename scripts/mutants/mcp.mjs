const mcp = 'packages/mcp/src'
const starts = 'packages/runtime/src/start-servers.ts'

/** MCP servers, which Cadre does not trust. */
export const mcpMutants = {
  tests: [`${mcp}/hostile-servers.test.ts`],
  rows: [
    [
      'a tool is called although its definition has changed',
      `${mcp}/server-link.ts`,
      'if (same.has(tool)) return connection',
      'return connection',
    ],
    [
      'a change of the tools during a run is not noticed',
      `${mcp}/server-link.ts`,
      'onChanged: () => {\n        if (life === this.#life) this.#same = undefined\n      },',
      'onChanged: () => {},',
    ],
    [
      'a new description of an approved tool is not noticed',
      `${mcp}/approved-tools/fingerprint-tool.ts`,
      'const definition = { name, title, description, inputSchema',
      'const definition = { name, title, inputSchema',
    ],
    [
      'a server decides that its tools only read',
      `${mcp}/tools/effect-of.ts`,
      "effects['*'] ?? 'outbound'",
      "effects['*'] ?? (admitsChanges(tool.annotations) ? 'outbound' : 'read')",
    ],
    [
      'a file of the folder decides which tools only read',
      `${mcp}/config/read-server.ts`,
      "base.syntax === 'cadre' && base.scope === 'user'\n",
      "base.syntax === 'cadre'\n",
      [`${mcp}/config/read-servers.test.ts`],
    ],
    [
      'a server of the folder takes the name of the user’s server',
      `${mcp}/config/read-servers.ts`,
      'return first === undefined\n',
      'return true\n',
      [`${mcp}/config/read-servers.test.ts`],
    ],
    [
      'a server gets all variables of the environment',
      `${mcp}/connect/connect-server.ts`,
      'env: { ...basic,',
      'env: { ...(env as typeof basic),',
    ],
    [
      'errors of a server show its secrets',
      `${mcp}/connect/connect-server.ts`,
      'return result.isError === true ? maskedResult(result, mask) : result',
      'return result',
    ],
    [
      'headers with a token are sent to other addresses',
      `${mcp}/connect/guarded-fetch.ts`,
      'if (isOwn) for (',
      'for (',
      [`${mcp}/auth/sign-in.test.ts`, `${mcp}/connect/guarded-fetch.test.ts`],
    ],
    [
      'headers with a token follow a redirect',
      `${mcp}/connect/guarded-fetch.ts`,
      "redirect: 'error'",
      "redirect: 'follow'",
      [`${mcp}/connect/guarded-fetch.test.ts`],
    ],
    [
      'a sign-in accepts the answer to another one',
      `${mcp}/auth/sign-in.ts`,
      "if (!isSame(searchParams.get('state') ?? '', state))",
      'if (false)',
      [`${mcp}/auth/sign-in.test.ts`],
    ],
    [
      'a server of the folder starts outside the sandbox',
      starts,
      'const wantsSandbox = server.sandbox ?? own !== undefined',
      'const wantsSandbox = server.sandbox === true',
      ['tests/mcp/run.test.ts'],
    ],
    [
      'without a sandbox, a server restarts after an agent has changed its code',
      starts,
      'if (stateOf(own, project) !== known.get(id))',
      'if (false)',
      ['tests/mcp/run.test.ts'],
    ],
    [
      'a server in the folder that the user’s file names needs no trust',
      'packages/runtime/src/find-servers.ts',
      'if (!isConfiguredHere && !isHere()) return undefined',
      'if (!isConfiguredHere) return undefined',
      ['packages/runtime/src/find-servers.test.ts'],
    ],
  ],
}
