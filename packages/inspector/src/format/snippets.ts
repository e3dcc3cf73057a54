import type { Event, SentRequest } from '@wabakit/server/control-types'
import { formatJson, showBody } from './mask.ts'

const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Formats a request as a curl command. The user has to insert the values of secret headers. */
export const formatCurl = ({ url, headers, hiddenHeaders, body }: SentRequest): string =>
  (showBody(body) === body ? '' : '# Personal data is masked, so the signature cannot verify.\n') +
  [
    `curl ${quoteForShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...hiddenHeaders.map((name) => `-H ${quoteForShell(`${name}: <secret>`)}`),
    `--data-raw ${quoteForShell(showBody(body))}`,
  ].join(' \\\n  ')

type NamedPayload = Pick<Event, 'name' | 'payload'>

/** Formats text as a string literal in single quotes. */
const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const indent = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)

const formatPayload = (payload: string): string => formatJson(payload) ?? showBody(payload)

export const formatFixture = ({ payload }: NamedPayload): string => `${formatPayload(payload)}\n`

/** Formats a test in which the mock signs the event and sends it to a receiver. */
export const formatTest = ({ name, payload }: NamedPayload): string => `import { expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import { createReceiver, standardWebhooks } from 'wabakit/webhooks'

test(${quote(`handles ${name}`)}, async () => {
  await using mock = await createMock()
  // Your receiver, with the mock's secret.
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  mock.deliverTo(receiver)

  await mock.trigger(${indent(formatPayload(payload), 2)})

  const { status } = await mock.waitForDelivery(${quote(name)})
  expect(status).toBe(200)
})
`
