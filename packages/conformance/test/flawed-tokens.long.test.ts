import type { Parts, Tools } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const token = '7D1f2c9ab04e5f60'
const only = [
  'accepts-encoded-token',
  'keeps-secrets-out-of-answers',
  'keeps-token-encrypted',
  'refuses-missing-token',
  'refuses-missing-token-from-nearby',
  'refuses-missing-token-on-other-routes',
  'refuses-wrong-token',
  'survives-forged-claim',
]
const options = { secret: undefined, previousSecret: undefined }

const withToken = (accepts: (query: URLSearchParams, path: string) => boolean) => ({
  verify: ({ request: { url = '' } }: Parameters<Parts['verify']>[0]) => {
    const [path = '', query] = url.split('?')
    return accepts(new URLSearchParams(query), path) ? undefined : 'wrong token'
  },
  isDuplicate: () => false,
})

const isRight = (query: URLSearchParams): boolean => query.getAll('token').join() === token

const flaws: Record<string, Omit<Flaw, 'options'>> = {
  'makes no mistake': { plant: () => withToken(isRight), fail: [] },
  'verifies nothing': {
    plant: () => withToken(() => true),
    fail: [
      'refuses-missing-token',
      'refuses-missing-token-from-nearby',
      'refuses-missing-token-on-other-routes',
      'refuses-wrong-token',
    ],
  },
  'takes the first of several tokens, which is no mistake': {
    plant: () => withToken((query) => query.get('token') === token),
    fail: [],
  },
  'takes the last of several tokens, which is no mistake': {
    plant: () => withToken((query) => query.getAll('token').at(-1) === token),
    fail: [],
  },
  'verifies nothing on the machine of a developer': {
    plant: () => {
      const right = withToken(isRight)
      return {
        ...right,
        verify: (incoming) =>
          incoming.request.headers.host === 'localhost' ? undefined : right.verify(incoming),
      }
    },
    fail: ['refuses-missing-token-from-nearby'],
  },
  'asks for the token only if the body is JSON': {
    plant: () => {
      const right = withToken(isRight)
      return {
        ...right,
        verify: (incoming) =>
          incoming.request.headers['content-type'] === 'application/json'
            ? right.verify(incoming)
            : undefined,
      }
    },
    fail: ['refuses-missing-token'],
  },
  'compares the token as it is written': {
    plant: () => ({
      ...withToken(isRight),
      verify: ({ request: { url = '' } }) =>
        url.endsWith(`&token=${token}`) && url.split('token=').length === 2 ? undefined : 'wrong token',
    }),
    fail: ['accepts-encoded-token'],
  },
  'decodes the value and not the name': {
    plant: () => ({
      ...withToken(isRight),
      verify: ({ request: { url = '' } }) =>
        url.includes('&token=') && isRight(new URL(url, 'http://localhost').searchParams)
          ? undefined
          : 'wrong token',
    }),
    fail: ['accepts-encoded-token'],
  },
  'decodes the token twice': {
    plant: () => withToken((query) => decodeURIComponent(query.getAll('token').join()) === token),
    fail: ['refuses-wrong-token'],
  },
  'ignores the case of the token': {
    plant: () => withToken((query) => query.getAll('token').join().toLowerCase() === token.toLowerCase()),
    fail: ['refuses-wrong-token'],
  },
  'compares the beginning of the token': {
    plant: () =>
      withToken((query) => query.has('token') && token.startsWith(query.getAll('token').join() || 'x')),
    fail: ['refuses-wrong-token'],
  },
  'takes the token for a pattern, like an unquoted word in bash': {
    plant: () => withToken((query) => isRight(query) || query.getAll('token').join() === '*'),
    fail: ['refuses-wrong-token'],
  },
  'takes the token under any name': {
    plant: () => withToken((query) => [...query.values()].includes(token)),
    fail: ['refuses-missing-token'],
  },
  'asks for the token only at its exact path': {
    plant: () => withToken((query, path) => isRight(query) || path.endsWith('/')),
    fail: ['refuses-missing-token-on-other-routes'],
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
  'prints the token': {
    plant: (_: Tools) => ({
      ...withToken(isRight),
      respond: (response, status, text) => void response.writeHead(status).end(`${text} ?token=${token}`),
    }),
    fail: ['keeps-secrets-out-of-answers'],
  },
}

describeFlaws(
  'an endpoint that knows its sender by a token in the URL, and gets no ids',
  Object.fromEntries(
    Object.entries(flaws).map(([name, flaw]) => [
      name,
      {
        ...flaw,
        query: `?tenant=acme&token=${token}`,
        options: name === 'makes no mistake' ? options : { ...options, only },
      },
    ]),
  ),
)
