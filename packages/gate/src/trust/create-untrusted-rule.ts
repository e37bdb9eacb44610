import { isReadOnlyTool, type Rule } from '@cadre/core'

/** In an untrusted folder, agents are read-only. */
export function createUntrustedRule(folder: string): Rule {
  return {
    by: 'policy',
    name: 'trust',
    immediate: true,
    judge({ tool }) {
      if (isReadOnlyTool(tool)) return undefined
      const reason = `${folder} is not trusted, so agents are read-only here, and ${tool.name} is not a read-only tool`
      return { kind: 'deny', by: 'policy', rule: 'trust', reason }
    },
  }
}
