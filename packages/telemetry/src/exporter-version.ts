/** The version that exported data names. */
export const version = '0.1.0'
