import { memoryStore, StorageUnavailableError, type Store } from '@wabakit/core'
import { expect, test } from 'vitest'
import { parseConfig } from '../config/settings.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createPages } from './pages.ts'

const hangs = () => new Promise<never>(() => {})

const unavailable = async () => {
  throw new StorageUnavailableError('The disk is full.')
}

type Situation = Partial<Pick<Store, 'nextDueAt' | 'checkWritable'>> & { readonly isStopping?: boolean }

test.each<[string, Situation]>([
  ['ready', {}],
  ['not ready if its database cannot be read', { nextDueAt: unavailable }],
  ['not ready if its database cannot be written', { checkWritable: unavailable }],
  ['not ready if its database does not respond', { checkWritable: hangs }],
  ['not ready while it stops', { isStopping: true }],
])('a server is %s', async (expected, { isStopping = false, ...failing }) => {
  const store = { ...memoryStore(), ...failing }
  const metrics = createMetrics({ store, clock: { now: Date.now } })
  const pages = createPages({
    settings: parseConfig({}, () => 'test'),
    store,
    findProblems: () => ({
      unstoredResults: 0,
      unreadableDeliveries: 0,
      cannotRenew: false,
      cannotLoad: false,
      shortage: undefined,
    }),
    metrics,
    checkMetricsToken: undefined,
    createRequestId: () => 'req_1',
    isStopping: () => isStopping,
  })
  const headers = { get: () => null }
  const request = { method: 'GET', path: '/readyz', query: '', headers, readBody: async () => undefined }
  const outcome = await pages
    .get('/readyz')?.(request, undefined)
    .then(
      ({ body }) => body.trim(),
      () => 'not ready',
    )
  metrics.close()
  expect(outcome).toBe(expected.replace(/ (?:if|while) .*/, ''))
})
