import { expect, onTestFinished, test, vi } from 'vitest'
import { control, createGroup, start } from './fixture.ts'

const startFaulty = async () => {
  const server = await start({ sandbox: true })
  const fail = (fault: object) => control(server, 'POST /faults', { endpoint: 'groups.create', ...fault })
  return { server, fail }
}

test.each([
  [{ status: 500 }, { status: 500, code: 'internal_error', groupId: null }],
  [
    { status: 500, carriedOut: true },
    { status: 500, code: 'internal_error', groupId: expect.any(String) },
  ],
  [
    { reset: true, carriedOut: true },
    { status: null, code: null, groupId: expect.any(String) },
  ],
  [{ reset: true }, { status: null, code: null, groupId: null }],
])('lists the request that got the fault %j with what was sent', async (fault, listed) => {
  const { server, fail } = await startFaulty()
  await fail(fault)
  await createGroup(server.url).catch(() => {})
  const list = async () => (await control(server, 'GET /requests')).body.items
  // The connection is dropped before the request is listed.
  await expect.poll(list).toMatchObject([{ ...listed, organizationId: expect.any(String) }])
})

test.each([
  ['', 0],
  [' although its head was late', 40],
])('ends the connection in the middle of the response%s', async (_, blockedMs) => {
  const { server, fail } = await startFaulty()

  await fail({ truncated: true })
  // The adapter waits for a timer before it sends the head.
  const setTimer = globalThis.setTimeout
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation((...timer) => {
    const startedAt = performance.now()
    while (performance.now() < startedAt + blockedMs);
    return setTimer(...timer)
  })
  onTestFinished(() => spy.mockRestore())
  const response = await createGroup(server.url, { groupId: 'a' })

  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('terminated')
  expect(await server.service.groups.find('acme', 'a')).toBeDefined()
})

test('waits before it responds', async () => {
  const { server, fail } = await startFaulty()

  await fail({ latencyMs: 60 })
  const startedAt = performance.now()
  const { status } = await createGroup(server.url)

  expect(status).toBe(200)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59)
})
