/** A kind of model server: where its settings are, and their names. */
export interface ServerKind {
  /** The section of the configuration. */
  readonly section: 'openai' | 'anthropic'
  readonly urlVariable: string
  readonly keyVariable: string
  /** The address if only a key is set. */
  readonly standardUrl: string
  /** The header for the key, unless the configuration names another one. */
  readonly keyHeader: string
  /** Headers of every request. */
  readonly headers: { readonly [name: string]: string }
  /** The path that lists models. */
  readonly listPath: string
  /** For messages: what a correct address looks like. */
  readonly exampleAddress: string
}

export const openAiKind: ServerKind = {
  section: 'openai',
  urlVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
  standardUrl: 'https://api.openai.com/v1',
  keyHeader: 'authorization',
  headers: {},
  listPath: '/models',
  exampleAddress: 'OPENAI_BASE_URL usually ends in /v1',
}

export const anthropicKind: ServerKind = {
  section: 'anthropic',
  urlVariable: 'ANTHROPIC_BASE_URL',
  keyVariable: 'ANTHROPIC_API_KEY',
  standardUrl: 'https://api.anthropic.com',
  keyHeader: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
  listPath: '/v1/models?limit=1000',
  exampleAddress: 'ANTHROPIC_BASE_URL usually has no path, as in https://api.anthropic.com',
}
