import { createHash } from 'node:crypto'
import { header, type Parts, type Tools } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const token = 'Bearer 7d1f2c9ab04e'
const options = { secret: undefined, previousSecret: undefined, headers: { authorization: token } }

/** The sender neither signs nor gives ids: the endpoint knows it by its token, and an event by what happens once. */
const withToken = (accepts: (given: string, request: { readonly url?: string | undefined }) => boolean) => ({
  verify: ({ request }: Parameters<Parts['verify']>[0]) =>
    accepts(header(request, 'authorization'), request) ? undefined : 'wrong token',
  isDuplicate: () => false,
})

const isRight = (given: string): boolean => given === token

const flaws: Record<string, Omit<Flaw, 'options'>> = {
  'makes no mistake': { plant: () => withToken(isRight), fail: [] },
  'verifies nothing': {
    plant: () => withToken(() => true),
    fail: [
      'refuses-missing-credentials',
      'refuses-wrong-credentials',
      'refuses-partial-credentials',
      'refuses-credentials-from-nearby',
      'refuses-missing-credentials-on-other-routes',
      'refuses-credentials-elsewhere',
    ],
  },
  'compares the beginning of the token': {
    plant: () => withToken((given) => given.startsWith('Bearer ') && token.startsWith(given)),
    fail: ['refuses-partial-credentials'],
  },
  'accepts whatever begins with the token': {
    plant: () => withToken((given) => given.startsWith(token)),
    fail: ['refuses-partial-credentials'],
  },
  'compares all but the last character': {
    plant: () =>
      withToken(
        (given) => given.slice(0, token.length - 1) === token.slice(0, -1) && given.length <= token.length,
      ),
    fail: ['refuses-partial-credentials'],
  },
  'asks for the token only at its exact path': {
    plant: () => withToken((given, { url = '' }) => isRight(given) || url.endsWith('/')),
    fail: ['refuses-missing-credentials-on-other-routes'],
  },
  'takes the token from the query, too': {
    plant: () =>
      withToken(
        (given, { url = '' }) => isRight(given) || url.includes(`token=${token.slice('Bearer '.length)}`),
      ),
    fail: ['refuses-credentials-elsewhere'],
  },
  'ignores the case of the token': {
    plant: () => withToken((given) => given.toLowerCase() === token.toLowerCase()),
    fail: ['refuses-wrong-credentials'],
  },
  'looks for the token anywhere in the header': {
    plant: () => withToken((given) => given.includes(token.slice('Bearer '.length))),
    fail: ['refuses-partial-credentials'],
  },
  'remembers a body before it looks at the token': {
    plant: ({ right }: Tools) => {
      const seen = new Set<string>()
      return {
        ...withToken(isRight),
        receive: (parts, request, response) => {
          let isKnown = false
          const read: Parts['read'] = async (incoming) => {
            const body = await parts.read(incoming)
            isKnown = seen.size === seen.add(`${body}`).size
            return body
          }
          return right.receive({ ...parts, read, isDuplicate: () => isKnown }, request, response)
        },
      }
    },
    fail: ['survives-forged-claim'],
  },
  'trusts addresses of its own network': {
    plant: ({ right }: Tools) => ({
      ...withToken(isRight),
      verify: ({ request, body }) =>
        header(request, 'x-forwarded-for').startsWith('10.')
          ? undefined
          : withToken(isRight).verify({ request, body }) && right.verify({ request, body }),
    }),
    fail: ['refuses-credentials-from-nearby'],
  },
  'verifies only JSON, and reads the fields of forms as well': {
    plant: ({ right }: Tools) => ({
      ...withToken(isRight),
      verify: (incoming) =>
        incoming.body.toString().startsWith('event=') ? undefined : withToken(isRight).verify(incoming),
      parse: (body) => {
        const form = new URLSearchParams(body.toString())
        return form.has('event') ? Object.fromEntries(form) : right.parse(body)
      },
    }),
    fail: ['refuses-missing-credentials'],
  },
  'takes the token for a pattern, as LIKE does': {
    plant: () => withToken((given) => isRight(given) || given === 'Bearer %'),
    fail: ['refuses-wrong-credentials'],
  },
  'hashes the body to recognize a repeat': {
    plant: ({ effects }: Tools) => {
      const seen = new Set<string>()
      return {
        ...withToken(isRight),
        handle: (event) => {
          const hash = createHash('sha256').update(JSON.stringify(event)).digest('hex')
          if (seen.size < seen.add(hash).size) effects.push(`${event.event} ${event.callId ?? event.groupId}`)
        },
      }
    },
    fail: ['handles-identical-events'],
  },
  'handles every repeat of a summary': {
    plant: ({ effects }: Tools) => ({
      ...withToken(isRight),
      handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
    }),
    fail: [
      'handles-duplicate-once',
      'handles-concurrent-duplicates-once',
      'handles-late-duplicate-once',
      'handles-replay-once',
      'handles-retry-after-hang-up-once',
      'remembers-for-a-minute',
    ],
    advice: ['handles-same-event-under-new-id-once'],
  },
}

const [user, password] = ['vendor', '5t-Horse-battery']

/** The sender authenticates with HTTP Basic. */
const withBasic = (accepts: (user: string, password: string) => boolean): Partial<Parts> => ({
  verify: ({ request }) => {
    const [, encoded = ''] = /^Basic (.+)$/.exec(header(request, 'authorization')) ?? []
    const [name = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':')
    return accepts(name, secret) ? undefined : 'wrong user or password'
  },
  isDuplicate: () => false,
})

describeFlaws(
  'an endpoint that knows its sender by a user and a password',
  Object.fromEntries(
    Object.entries({
      'makes no mistake': (...given: string[]) => given.join() === [user, password].join(),
      'compares only the user': (name: string) => name === user,
      'compares only the password': (_: string, given: string) => given === password,
      'takes the password for a pattern, like an unquoted word in bash': (name: string, given: string) =>
        [user, '*'].includes(name) && [password, '*'].includes(given),
    }).map(([title, accepts]) => [
      title,
      {
        plant: () => withBasic(accepts),
        fail: title === 'makes no mistake' ? [] : ['refuses-wrong-credentials'],
        options: {
          ...options,
          headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
          only: ['refuses-wrong-credentials'],
        },
      },
    ]),
  ),
)

describeFlaws(
  'an endpoint that knows its sender by a token, and gets no ids',
  Object.fromEntries(Object.entries(flaws).map(([name, flaw]) => [name, { ...flaw, options }])),
)
