import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createScenario, type Ordeal } from '../scenario.ts'

const valid = { wabaNumber: '+15550100001', subject: 'Ingest' }
const json = (value: object): string => JSON.stringify({ ...valid, ...value })

/** The status of a request whose connection closed before the response could be read. */
const closed = 0

/** Bodies of create requests, and the statuses that they may get. */
const bodies: Record<string, readonly [body: string | Uint8Array<ArrayBuffer>, ...statuses: number[]]> = {
  empty: ['', 400],
  'cut off': ['{"wabaNumber":"+155501', 400],
  'an array': ['[]', 400],
  'a string': ['"x"', 400],
  null: ['null', 400],
  deep: ['['.repeat(30_000), 400],
  'deep in a field': [`{"subject":${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}}`, 400],
  huge: [json({ description: 'x'.repeat(2_000_000) }), 413, closed],
  'wrong types': [JSON.stringify({ wabaNumber: 1, subject: {} }), 400],
  __proto__: ['{"__proto__":{"subject":"x"},"wabaNumber":"+15550100001"}', 400],
  'a known field twice': ['{"wabaNumber":"+15550100001","subject":"a","subject":""}', 400],
  'a lone surrogate': ['{"wabaNumber":"+15550100001","subject":"\\ud800"}', 400],
  NUL: ['{"wabaNumber":"+15550100001","subject":"a\\u0000b"}', 400],
  'a byte order mark': [`\ufeff${json({})}`, 200, 400],
  'invalid UTF-8': [Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400],
  'an empty subject': [json({ subject: '' }), 400],
  '129 emoji': [json({ subject: '😀'.repeat(129) }), 400],
  '128 emoji': [json({ subject: '😀'.repeat(128) }), 200],
  'an unknown mode': [json({ joinApprovalMode: 'maybe' }), 400],
  'an empty id': [json({ groupId: '' }), 400],
  'another number': [json({ wabaNumber: '+15550999999' }), 400],
  'numbers without end': [`{"wabaNumber":"+15550100001","subject":${'9'.repeat(60_000)}}`, 400],
}

/** Bytes that are not HTTP or never form a complete request. */
const noise = [
  '\0\0\0\0',
  'GET\r\n\r\n',
  'POST /whatsapp/wa-group/create HTTP/1.1\r\ncontent-length: 5\r\n\r\nab',
  'GET / HTTP/9.9\r\n\r\n',
]

/** Invalid requests to the public API get responses below 500, and the service continues. */
const sendInvalid: Ordeal = async ({ fleet }, { times, progress }) => {
  const failures: string[] = []
  const create = (body: BodyInit, headers: Record<string, string> = {}, init: object = {}) =>
    fetch(`${fleet.url()}/whatsapp/wa-group/create`, {
      method: 'POST',
      headers: { authorization: 'wk_torture_0123456789', 'content-type': 'application/json', ...headers },
      body,
      ...init,
    })
  const expectStatus = async (what: string, answer: Promise<Response>, statuses: readonly number[]) => {
    const status = await answer.then((response) => response.status).catch(() => closed)
    if (!statuses.includes(status)) failures.push(`${what} got ${status}`)
  }
  const chunked = (body: BodyInit): Promise<Response> =>
    create(new Response(body).body ?? '', {}, { duplex: 'half' })

  for (let round = 1; round <= times; round++) {
    for (const [what, [body, ...statuses]] of Object.entries(bodies)) {
      await expectStatus(what, create(body), statuses)
      await expectStatus(`${what}, in chunks`, chunked(body), statuses)
    }
    await expectStatus('another type', create(json({}), { 'content-type': 'text/plain' }), [415])
    await expectStatus(
      'another charset',
      create(json({}), { 'content-type': 'application/json; charset=utf-16' }),
      [415],
    )
    await expectStatus('no key', create(json({}), { authorization: '' }), [401, 429])
    await expectStatus('a wrong key', create(json({}), { authorization: 'x'.repeat(4_000) }), [401, 429])
    for (const bytes of noise) {
      const socket = connect(Number(new URL(fleet.url()).port), '127.0.0.1', () => socket.end(bytes))
      socket.on('error', () => {}).resume()
      await Promise.race([once(socket, 'close'), setTimeout(200)])
      socket.destroy()
    }

    const groupId = `at-once-${round}`
    const same = await Promise.all(Array.from({ length: 100 }, () => create(json({ groupId }))))
    const answers = await Promise.all(same.map(async (answer) => `${answer.status} ${await answer.text()}`))
    if (new Set(answers).size !== 1 || !answers[0]?.startsWith('200 '))
      failures.push(
        `100 identical concurrent requests got different responses, or none got 200: ${answers[0]}`,
      )
    const other = Array.from({ length: 20 }, (_, nth) =>
      create(json({ groupId: `rivals-${round}`, subject: `No. ${nth}` })),
    )
    const statuses = (await Promise.all(other)).map(({ status }) => status).sort()
    if (statuses.filter((status) => status === 200).length !== 1 || statuses[1] !== 422) {
      failures.push(`20 conflicting concurrent requests got ${statuses.join(' ')}`)
    }
    progress(`${round} of ${times} rounds`)
  }
  return failures
}

/** Invalid requests next to the valid ones of other clients, whose connections must not be cut off. */
export const ingest = createScenario(sendInvalid, {
  done: 'rounds of invalid requests',
  check: ({ load: { broken } }) =>
    broken > 0 ? [`${broken} valid requests of other clients were cut off`] : [],
})
