/** How long to wait after so many failures in a row, in milliseconds. */
export const pauseAfterFailures = (failures: number) => Math.min(60_000, 1_000 * 2 ** (failures - 1))
