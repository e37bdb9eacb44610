/** Shared by all packages, which are released together. */
export const version = '0.1.0'
