/** What the extension sends to the page. */
export type ToPage = { readonly type: 'state' }

/** What the page asks of the extension. */
export type FromPage = { readonly type: 'ready' }
