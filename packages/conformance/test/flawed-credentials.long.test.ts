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
  'takes the token from the query, too': {
    plant: () =>
      withToken(
        (given, { url = '' }) => isRight(given) || url.includes(`token=${token.slice('Bearer '.length)}`),
      ),
    fail: ['refuses-credentials-elsewhere'],
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
      'remembers-for-half-a-minute',
    ],
    advice: ['handles-same-event-under-new-id-once'],
  },
}

describeFlaws(
  'an endpoint that knows its sender by a token, and gets no ids',
  Object.fromEntries(Object.entries(flaws).map(([name, flaw]) => [name, { ...flaw, options }])),
)
