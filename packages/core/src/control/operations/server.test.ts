import { expect, test } from 'vitest'
import { createRequestLog } from '../../hosting/request-log.ts'
import { createReferenceServer } from '../../index.ts'
import type { ControlContext } from '../operation.ts'
import { serverOperations } from './server.ts'

test('a list of requests lets the log forget those of an organization that another process removed', async () => {
  const requests = createRequestLog(9)
  const keys = { acme: 'wk_acme_key_0123456789', other: 'wk_other_key_0123456789' }
  const organizations = Object.entries(keys).map(([id, key]) => ({ id, apiKeys: [{ key }] }))
  const service = createReferenceServer({ organizations })
  service.onRequest(requests.add)
  await service.ready()
  for (const authorization of Object.values(keys))
    await service.fetch(new Request('http://localhost/v1/call/ai-summary', { headers: { authorization } }))
  await service.organizations.remove('acme')
  const list = serverOperations.find(({ id }) => id === 'listRequests')
  await list?.run({ params: {}, query: {}, body: undefined }, { service, requests } as ControlContext)

  expect(requests.list({ limit: 9 }).items).toMatchObject([{ organizationId: 'other' }])
})
