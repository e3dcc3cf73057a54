import { anyOf, bearerAuth, createReceiver, standardWebhooks, urlToken } from '@wabakit/webhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { joined, secret } from './signed.ts'

const token = '0123456789abcdef'

const send = async (
  receiver: { handle(request: Request): Promise<Response> },
  query = '',
  method = 'POST',
) => {
  const init = { method, headers: { 'content-type': 'application/json' } }
  const body = method === 'POST' ? { body: JSON.stringify(joined) } : {}
  return (await receiver.handle(new Request(`http://localhost/${query}`, { ...init, ...body }))).status
}

const watch = () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  return error
}

it.each([
  ['urlToken', urlToken({ token })],
  ['bearerAuth', bearerAuth({ token })],
  ['standardWebhooks', standardWebhooks({ secrets: [secret] })],
  ['anyOf', anyOf(urlToken({ token }), bearerAuth({ token }))],
])(
  'one line tells that the first three webhooks had no credentials for %s, with onError, too',
  async (_, verify) => {
    const error = watch()
    const receiver = createReceiver({ verify }).onError(() => {})
    expect(await send(receiver, '', 'GET')).toBe(405)
    expect([await send(receiver), await send(receiver)]).toEqual([401, 401])
    expect(error).not.toHaveBeenCalled()
    for (let count = 3; count <= 6; count += 1) {
      expect(await send(receiver)).toBe(401)
      expect(error).toHaveBeenCalledTimes(1)
    }
    expect(error.mock.calls).toEqual([
      [expect.stringMatching(/first 3 webhooks .+ urlToken\(\).+server capture\.$/)],
    ])
  },
)

it.each([
  ['an accepted one', `?token=${token}`, 200],
  ['wrong credentials', '?token=x', 401],
])('no line follows %s', async (_, query, status) => {
  const error = watch()
  const receiver = createReceiver({ verify: urlToken({ token }) })
  await send(receiver)
  expect(await send(receiver, query)).toBe(status)
  for (let count = 0; count < 5; count += 1) expect(await send(receiver)).toBe(401)
  expect(error).not.toHaveBeenCalled()
})
