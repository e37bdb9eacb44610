/**
 * The key for keys of another dialect that would have another meaning in this one. They are kept unchanged: a template
 * reads `capabilities` as tools, and all other dialects ignore it.
 */
export const preservedKeysKey = 'other-keys'
