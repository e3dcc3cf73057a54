import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReceiver, type ReceiverOptions, urlToken, type WebhookTrace } from '../index.ts'

const token = '0123456789abcdef'
const old = 'fedcba9876543210'
const event = { event: 'GROUP_PARTICIPANT_JOINED', groupId: 'g-1' }
const post = {
  method: 'POST',
  body: JSON.stringify(event),
  headers: { 'content-type': 'application/json' },
}

/** Sends an event to a URL with this query, and resolves to the outcome. */
const send = async (query: string, verify: ReceiverOptions['verify']) => {
  const errors: unknown[] = []
  const receiver = createReceiver({ verify }).onError((error) => errors.push(error))
  const response = await receiver.handle(new Request(`http://localhost/webhooks${query}`, post))
  const text = await response.text()
  return {
    outcome: text === '' ? response.status : JSON.parse(text).code,
    status: response.status,
    text,
    errors,
  }
}

describe('urlToken', () => {
  it.each([
    ['its token', `?token=${token}`],
    ['the previous token during a rotation', `?token=${old}`],
    ['a token among other parameters', `?a=1&token=${token}&b=2&Token=x&tokens=y`],
    ['a percent-encoded token', `?token=%30${token.slice(1)}`],
    ['a percent-encoded name', `?%74oken=${token}`],
    ['a URL with a fragment', `?token=${token}#token=x`],
    ['a URL with an undecodable other parameter', `?a=%&%=b&token=${token}`],
  ])('accepts %s', async (_, query) => {
    expect(await send(query, urlToken({ token: [token, old] }))).toMatchObject({ outcome: 200 })
  })

  it.each([
    ['missing_token', 'no query', ''],
    ['missing_token', 'an empty query', '?'],
    ['missing_token', 'an empty token', '?token='],
    ['missing_token', 'a name only', '?token'],
    ['missing_token', 'another name', `?Token=${token}`],
    ['missing_token', 'a name that is encoded twice', `?%2574oken=${token}`],
    ['missing_token', 'a token in the fragment', `#?token=${token}`],
    ['wrong_token', 'a wrong token', `?token=${old}`],
    ['wrong_token', 'a longer token', `?token=${token}0`],
    ['wrong_token', 'a shorter token', `?token=${token.slice(1)}`],
    ['wrong_token', 'another case', `?token=${token.toUpperCase()}`],
    ['wrong_token', 'a token that is encoded twice', `?token=%2530${token.slice(1)}`],
    ['wrong_token', 'an undecodable token', `?token=${token}%`],
    ['wrong_token', 'a token that is not UTF-8', '?token=%ff'],
    ['wrong_token', 'two tokens', `?token=${token}&token=${token}`],
    ['wrong_token', 'an empty and a correct token', `?token=&token=${token}`],
    ['wrong_token', 'a correct and an empty token', `?token=${token}&token`],
    ['wrong_token', 'two empty tokens', '?token=&token='],
    ['wrong_token', 'a second, encoded name', `?token=${token}&%74oken=${token}`],
  ])('responds %s to %s', async (code, _, query) => {
    const { outcome, status, text, errors } = await send(query, urlToken({ token }))
    expect([outcome, status]).toEqual([code, 401])
    expect(errors).toMatchObject([{ name: 'WebhookVerificationError', reason: code }])
    expect(text + String(errors[0])).not.toContain(token)
  })

  it.each(['a+b c/d=e?&#%é日👋', '++++++++++++++++'])('accepts %s, percent-encoded once', async (odd) => {
    const verify = urlToken({ token: odd })
    expect(await send(`?token=${encodeURIComponent(odd)}`, verify)).toMatchObject({ outcome: 200 })
  })

  it('takes a + for a +, and not for a space', async () => {
    const verify = urlToken({ token: 'aaaaaaaa+bbbbbbbb' })
    expect(await send('?token=aaaaaaaa+bbbbbbbb', verify)).toMatchObject({ outcome: 200 })
    expect(await send('?token=aaaaaaaa%20bbbbbbbb', verify)).toMatchObject({ outcome: 'wrong_token' })
    expect(await send('?token=aaaaaaaa+bbbbbbbb', urlToken({ token: 'aaaaaaaa bbbbbbbb' }))).toMatchObject({
      outcome: 'wrong_token',
    })
  })

  it('takes another parameter', async () => {
    const verify = urlToken({ token, parameter: 'my key' })
    expect(await send(`?my%20key=${token}`, verify)).toMatchObject({ outcome: 200 })
    expect(await send(`?token=${token}`, verify)).toMatchObject({ outcome: 'missing_token' })
  })

  it('calls a function when the first token arrives', async () => {
    const read = vi.fn(async () => [token, old])
    const verify = urlToken({ token: read })
    expect(await send('', verify)).toMatchObject({ outcome: 'missing_token' })
    expect(read).not.toHaveBeenCalled()
    expect(await send(`?token=${old}`, verify)).toMatchObject({ outcome: 200 })
    expect(await send('?token=x', verify)).toMatchObject({ outcome: 'wrong_token' })
    expect(read).toHaveBeenCalledTimes(1)
    const failing = urlToken({ token: () => 'short' })
    expect(await send(`?token=${old}`, failing)).toMatchObject({ outcome: 'invalid_secret', status: 503 })
  })

  it('trims a token that is mounted as a file', async () => {
    expect(await send(`?token=${token}`, urlToken({ token: `${token}\r\n` }))).toMatchObject({ outcome: 200 })
  })

  it.each([
    undefined,
    '',
    ' ',
    'undefined',
    'fifteen--------',
    ' '.repeat(20),
    [],
    [token, ''],
    'a\0'.repeat(9),
  ])('cannot be created with the token %j', (value) => {
    expect(() => urlToken({ token: value as string })).toThrow(
      expect.objectContaining({ reason: 'invalid_secret' }),
    )
  })

  it('cannot be created with other options', () => {
    for (const options of [
      { token, parameter: '' },
      { token, param: 'a' },
      { token, parameter: 1 },
      undefined,
    ])
      expect(() => urlToken(options as { token: string })).toThrow(
        expect.objectContaining({ name: 'WebhookUsageError' }),
      )
  })

  it('counts bytes', () => {
    expect(() => urlToken({ token: 'éééééééé' })).not.toThrow()
  })

  it('compares with every token, in constant time', async () => {
    const look = vi.spyOn(String.prototype, 'charCodeAt')
    onTestFinished(() => look.mockRestore())
    const verify = urlToken({ token: [token, old] })
    const counts = [token, old, `x${token.slice(1)}`, `${token.slice(1)}x`].map((each) => {
      look.mockClear()
      try {
        void verify.checkHeaders?.(new Headers(), undefined, `http://localhost/?token=${each}`)
      } catch {
        // Rejections are expected.
      }
      return look.mock.calls.length
    })
    expect(counts).toEqual(Array(4).fill(4 * token.length))
  })

  it('is named by the context and by the trace', async () => {
    const { tracingChannel } = await import('node:diagnostics_channel')
    const channel = tracingChannel<WebhookTrace, WebhookTrace>('wabakit.webhook')
    const traced: unknown[] = []
    const subscriber = { asyncEnd: (trace: WebhookTrace) => traced.push(trace.verifiedBy) }
    channel.subscribe(subscriber as never)
    onTestFinished(() => void channel.unsubscribe(subscriber as never))
    const seen: unknown[] = []
    const receiver = createReceiver({ verify: urlToken({ token }) }).onAny((_, { verifiedBy }) =>
      seen.push(verifiedBy),
    )
    await receiver.handle(new Request(`http://localhost/?token=${token}`, post))
    expect([seen, traced]).toEqual([[['urlToken']], [['urlToken']]])
  })
})
