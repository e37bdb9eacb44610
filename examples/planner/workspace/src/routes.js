/** What each path answers. */
export const routes = {
  '/time': () => ({ status: 200, body: new Date().toISOString() }),
}
