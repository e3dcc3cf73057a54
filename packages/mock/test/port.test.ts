import { createMock } from '@wabakit/mock'
import { runCases } from './run-cases.ts'

runCases(async () => {
  const mock = await createMock({ port: 0 })
  const { url: baseUrl, close } = mock
  return { form: { mock, baseUrl, fetch, client: (tenant = mock, options) => tenant.client(options) }, close }
})
