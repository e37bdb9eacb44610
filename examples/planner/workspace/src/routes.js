/** The response of each path. */
export const routes = {
  '/time': () => ({ status: 200, body: new Date().toISOString() }),
}
