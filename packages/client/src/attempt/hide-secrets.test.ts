import { runInNewContext } from 'node:vm'
import { createSecretHider } from '@wabakit/wire'
import { expect, it } from 'vitest'
import { copyWithoutSecrets, listSecrets } from './hide-secrets.ts'

const secret = 'sk/1+2=3&4'

it('lists the key, the headers of auth with and without their scheme, and headers whose names suggest a secret', () => {
  const visible = new Headers({ accept: 'text/plain', 'x-session-token': 'tok', traceparent: '00-1' })
  const sent = new Headers([...visible, ['authorization', 'Basic dXNlcg==']])
  expect(listSecrets('the-key', visible, sent)).toEqual(['the-key', 'Basic dXNlcg==', 'dXNlcg==', 'tok'])
  expect(listSecrets(undefined, visible, sent)).toEqual(['Basic dXNlcg==', 'dXNlcg==', 'tok'])
})

const hideSecret = createSecretHider(() => [secret])

it('copies an error of another realm', () => {
  const cause = runInNewContext(`new TypeError(${JSON.stringify(secret)})`)
  expect(copyWithoutSecrets(cause, hideSecret)).toMatchObject({ name: 'TypeError', message: '[redacted]' })
})

it('copies at most four causes of a cause', () => {
  const nest = (levels: number): Error =>
    new Error(`${levels} ${secret}`, levels > 0 ? { cause: nest(levels - 1) } : undefined)
  const messages: string[] = []
  let copy = copyWithoutSecrets(nest(6), hideSecret)
  for (; copy instanceof Error; copy = copy.cause) messages.push(copy.message)
  expect(messages).toEqual([6, 5, 4, 3, 2].map((level) => `${level} [redacted]`))
})
