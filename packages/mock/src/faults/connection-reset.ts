/**
 * What `fetch` rejects with when a connection is reset: a `TypeError` whose cause has the code that Node gives.
 */
export const connectionReset = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
  })
