import { expect, test } from 'vitest'
import { control, createGroup, start } from './fixture.ts'

const startFaulty = async () => {
  const server = await start({ mock: true })
  const fail = (fault: object) => control(server, 'POST /faults', { endpoint: 'groups.create', ...fault })
  return { server, fail }
}

test('answers 503 with Retry-After as the service does when its storage is unavailable', async () => {
  const { server, fail } = await startFaulty()
  await fail({ status: 503, retryAfterSeconds: 1 })
  await fail({ status: 503 })
  expect(await (await createGroup(server.url)).json()).toMatchObject({ code: 'storage_unavailable' })
  expect(await (await createGroup(server.url)).json()).not.toHaveProperty('code')
})

test('answers a status so many times, then as usual', async () => {
  const { server, fail } = await startFaulty()

  await fail({ status: 429, retryAfterSeconds: 2, times: 2 })
  const responses = [
    await createGroup(server.url),
    await createGroup(server.url),
    await createGroup(server.url),
  ]

  expect(responses.map(({ status }) => status)).toEqual([429, 429, 200])
  expect(responses[0]?.headers.get('retry-after')).toBe('2')
})

test('leaves other endpoints alone', async () => {
  const { server, fail } = await startFaulty()

  await fail({ endpoint: 'calls.getSummary', status: 500 })

  expect((await createGroup(server.url)).status).toBe(200)
})

test.each([
  ['malformed', 'application/json', '{"success": tr'],
  ['html', 'text/html; charset=utf-8', '<!doctype html>'],
  ['empty', 'application/json', ''],
])('answers a %s body', async (body, type, beginning) => {
  const { server, fail } = await startFaulty()

  await fail({ body })
  const response = await createGroup(server.url)

  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(type)
  expect((await response.text()).startsWith(beginning)).toBe(true)
})

test('breaks the connection off before the group is created', async () => {
  const { server, fail } = await startFaulty()

  await fail({ reset: 'before' })

  await expect(createGroup(server.url, { groupId: 'a' })).rejects.toThrow('fetch failed')
  expect(await server.service.groups.find('acme', 'a')).toBeUndefined()
})

test('breaks the connection off after the group was created, so that the caller cannot know', async () => {
  const { server, fail } = await startFaulty()

  await fail({ reset: 'after' })

  await expect(createGroup(server.url, { groupId: 'a' })).rejects.toThrow('fetch failed')
  expect(await server.service.groups.find('acme', 'a')).toBeDefined()
})

test('waits before it answers', async () => {
  const { server, fail } = await startFaulty()

  await fail({ latencyMs: 60 })
  const startedAt = performance.now()
  const { status } = await createGroup(server.url)

  expect(status).toBe(200)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59)
})

test('lists faults that wait, and forgets them', async () => {
  const { server, fail } = await startFaulty()
  await fail({ status: 500, times: 3 })
  await createGroup(server.url)

  const listed = await control(server, 'GET /faults')
  const cleared = await control(server, 'DELETE /faults')

  expect(listed.body.items).toEqual([expect.objectContaining({ status: 500, remaining: 2 })])
  expect(cleared.status).toBe(204)
  expect((await createGroup(server.url)).status).toBe(200)
})
