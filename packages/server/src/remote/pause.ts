/** How long to wait after so many failures in a row. */
export const pauseMs = (failures: number) => Math.min(60_000, 1_000 * 2 ** (failures - 1))
