type WaitUntil = { waitUntil(work: Promise<unknown>): void }

const canWait = (host: object): host is WaitUntil =>
  'waitUntil' in host && typeof host.waitUntil === 'function'

/** Tells the host, when it wants to know, to stay alive until the work is done. */
export const keepAlive = (host: object | undefined, work: Promise<unknown>): void => {
  if (host !== undefined && canWait(host)) host.waitUntil(work)
}
