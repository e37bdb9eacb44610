/**
 * Holds the keys of another dialect that would mean something else in this one, as they are: a template reads
 * `capabilities` as tools, and to everybody else it is a stranger's key.
 */
export const keptKey = 'other-keys'
