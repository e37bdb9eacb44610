/**
 * Milliseconds on the system's monotonic clock. Unlike `performance.now()` it has the same origin in every process of the
 * machine, so times of the fake model and of the process that started a program can be compared.
 */
export const now = () => Number(process.hrtime.bigint()) / 1e6
