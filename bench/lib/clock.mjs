/**
 * Milliseconds on the system's monotonic clock. Unlike `performance.now()` it has the same origin in every process of
 * the machine, so a time read by the fake model can be subtracted from one read by whoever started a program.
 */
export const now = () => Number(process.hrtime.bigint()) / 1e6
