import * as webhooks from 'wabakit/webhooks'

/** Checks the receiver in the current runtime, with web standards only. Rejects on the first failure. Returns the checks. */
export const checkReceiver = async (): Promise<string[]> => {
  const passed: string[] = []
  const check = (rule: string, isTrue: unknown, actual?: unknown) => {
    if (!isTrue) throw new Error(`Failed: ${rule}. Received ${JSON.stringify(actual)}`)
    passed.push(rule)
  }
  const secret = webhooks.generateSecret()
  const handled: string[] = []
  const receiver = webhooks
    .createReceiver({
      verify: webhooks.standardWebhooks({ secrets: () => [secret] }),
      dedupe: webhooks.memoryDedupe(),
    })
    .onAny((event) => handled.push(event.event))
    .onError(() => {})
  const payload = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'Köln 👋' })
  const { headers } = await webhooks.signWebhook({ payload, secret })
  const create = (body: string) => new Request('http://localhost/webhooks', { method: 'POST', body, headers })
  const send = async (body: string) => (await receiver.handle(create(body))).status

  check('handles a genuine delivery', (await send(payload)) === 200 && handled.length === 1, handled)
  check('handles a duplicate once', (await send(payload)) === 200 && handled.length === 1, handled)
  const forged = await send(payload.replace('JOINED', 'LEFT'))
  check('rejects a forged delivery', forged === 401, forged)
  // Runtimes differ in how deep functions may call one another.
  const brackets = 50_000
  const deep = payload.replace('}', `,"added":${'['.repeat(brackets)}${']'.repeat(brackets)}}`)
  const deepHeaders = (await webhooks.signWebhook({ payload: deep, secret })).headers
  const handledDeep = await receiver.handle(
    new Request('http://localhost/webhooks', { method: 'POST', body: deep, headers: deepHeaders }),
  )
  check(
    'handles an event with a deeply nested field',
    handledDeep.status === 200 && handled.length === 2,
    handled,
  )
  const read = create(payload)
  await read.text()
  const parsed = await receiver.handle(read)
  check('explains that a body was parsed', (await parsed.json()).code === 'body_was_parsed')
  return passed
}
