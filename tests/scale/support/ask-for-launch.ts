import type { Rule } from '@cadre/core'

/** Every call of `launch` needs an approval. */
export const askForLaunch: Rule<string> = {
  by: 'policy',
  name: 'launches',
  immediate: true,
  judge: ({ tool }) =>
    (tool.name === 'launch'
      ? { kind: 'ask', by: 'policy', rule: 'launches', reason: 'x' }
      : undefined) as never,
}
